/*
 * The model's counts while they are made, as PAPI's software-defined events of library
 * "inflight" (papi_export.c has the same names): for a PAPI-based tool inside the tracing
 * program, brought by LD_PRELOAD. Whether there is one shows at run time: libsde is
 * loaded then. Without it nothing happens.
 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>

#include "core/traffic/tracer/tracer_hot.h"

/* Before glibc 2.34 dlsym is in a library of its own, which is not linked. */
#pragma weak dlsym

/* As in <sde_lib.h>, which need not be there. */
enum { sde_read_only_delta = 0x00, sde_instant = 0x10, sde_long_long = 0 };
typedef long long sde_callback(void *level);
typedef void *sde_init(const char *library);
typedef int sde_register(void *library, const char *name, int mode, int type,
                         sde_callback *callback, void *level);

static int levels[CACHE_LEVELS_MAX];

static bool has_level(int k)
{
    return k < tracer_hot.model.level_nr;
}

static struct cache_counts now(void)
{
    return cache_model_counts(&tracer_hot.model);
}

static long long accesses(void *unused)
{
    (void)unused;
    return (long long)now().accesses;
}

static long long bytes(void *unused)
{
    (void)unused;
    return (long long)now().bytes;
}

static long long stores(void *unused)
{
    (void)unused;
    return (long long)now().stores;
}

static long long stored_bytes(void *unused)
{
    (void)unused;
    return (long long)now().stored;
}

static long long hits(void *level)
{
    int k = *(int *)level;

    return has_level(k) ? (long long)now().hits[k] : 0;
}

/* Lines that were found in that level; what is found in none is memory's. */
static long long from_level(void *level)
{
    int k = *(int *)level;

    return k > 0 && has_level(k) ? (long long)now().l1_from[k - 1] : 0;
}

static long long l1_software(void *unused)
{
    (void)unused;
    return (long long)now().software[0];
}

static long long fills(void *level)
{
    int k = *(int *)level;

    return has_level(k) ? (long long)now().fills[k] : 0;
}

static long long writebacks(void *level)
{
    int k = *(int *)level;

    return has_level(k) ? (long long)now().writebacks[k] : 0;
}

static int *memory_edge(void)
{
    int last = tracer_hot.model.level_nr - 1;

    return &levels[last > 0 ? last : 0];
}

static long long memory_fills(void *unused)
{
    (void)unused;
    return fills(memory_edge());
}

static long long memory_writebacks(void *unused)
{
    (void)unused;
    return writebacks(memory_edge());
}

static long long from_memory(void *unused)
{
    int k = *memory_edge();

    (void)unused;
    return has_level(k) ? (long long)now().l1_from[k] : 0;
}

static long long l1_covered_memory(void *unused)
{
    int k = *memory_edge();

    (void)unused;
    return has_level(k) ? (long long)now().l1_covered[k] : 0;
}

static long long memory_covered(void *unused)
{
    int k = *memory_edge();

    (void)unused;
    return has_level(k) ? (long long)now().covered[k] : 0;
}

static long long nontemporal_lines(void *unused)
{
    (void)unused;
    return (long long)now().nontemporal;
}

static long long page_walks(void *unused)
{
    (void)unused;
    return (long long)now().walks;
}

static long long line_bytes(void *unused)
{
    (void)unused;
    return (long long)tracer_hot.model.line_mask + 1;
}

static const struct {
    const char *name;
    sde_callback *callback;
    int level, mode;
} events[] = {
    {"ACCESSES", accesses, 0, sde_read_only_delta},
    {"BYTES", bytes, 0, sde_read_only_delta},
    {"STORES", stores, 0, sde_read_only_delta},
    {"STORED_BYTES", stored_bytes, 0, sde_read_only_delta},
    {"L1_HITS", hits, 0, sde_read_only_delta},
    {"L2_HITS", hits, 1, sde_read_only_delta},
    {"L3_HITS", hits, 2, sde_read_only_delta},
    {"L4_HITS", hits, 3, sde_read_only_delta},
    {"L1_FROM_L2", from_level, 1, sde_read_only_delta},
    {"L1_FROM_L3", from_level, 2, sde_read_only_delta},
    {"L1_FROM_L4", from_level, 3, sde_read_only_delta},
    {"L1_FROM_MEMORY", from_memory, 0, sde_read_only_delta},
    {"L1_COVERED_MEMORY", l1_covered_memory, 0, sde_read_only_delta},
    {"L1_SOFTWARE", l1_software, 0, sde_read_only_delta},
    {"L1_FILLS", fills, 0, sde_read_only_delta},
    {"L1_WRITEBACKS", writebacks, 0, sde_read_only_delta},
    {"L2_FILLS", fills, 1, sde_read_only_delta},
    {"L2_WRITEBACKS", writebacks, 1, sde_read_only_delta},
    {"L3_FILLS", fills, 2, sde_read_only_delta},
    {"L3_WRITEBACKS", writebacks, 2, sde_read_only_delta},
    {"L4_FILLS", fills, 3, sde_read_only_delta},
    {"L4_WRITEBACKS", writebacks, 3, sde_read_only_delta},
    {"MEMORY_FILLS", memory_fills, 0, sde_read_only_delta},
    {"MEMORY_WRITEBACKS", memory_writebacks, 0, sde_read_only_delta},
    {"MEMORY_COVERED", memory_covered, 0, sde_read_only_delta},
    {"NONTEMPORAL_LINES", nontemporal_lines, 0, sde_read_only_delta},
    {"PAGE_WALKS", page_walks, 0, sde_read_only_delta},
    {"LINE_BYTES", line_bytes, 0, sde_instant},
};

__attribute__((constructor)) static void export_counts(void)
{
    sde_init *init;
    sde_register *add;
    void *library;

    for (int k = 0; k < CACHE_LEVELS_MAX; k++)
        levels[k] = k;
    if (!dlsym)
        return;
    *(void **)&init = dlsym(RTLD_DEFAULT, "papi_sde_init");
    *(void **)&add = dlsym(RTLD_DEFAULT, "papi_sde_register_counter_cb");
    if (!init || !add)
        return;
    library = init("inflight");
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        add(library, events[i].name, events[i].mode, sde_long_long, events[i].callback,
            &levels[events[i].level]);
}
