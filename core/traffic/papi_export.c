/* Our own counts as PAPI's software-defined events: library "inflight". The only adapter
 * of libsde in the program; traced programs have their own (tracer_export.c). */
#include <math.h>

#include "core/traffic/traffic.h"

#ifdef INFLIGHT_HAS_SDE

#include <sde_lib.h>

/* name without the library's, what it adds up, description */
#define EXPORT_MAP(X)                                                                    \
    X(ACCESSES, traffic->accesses, "loads and stores issued")                            \
    X(BYTES, traffic->bytes, "bytes that loads and stores asked for")                    \
    X(L1_FILLS, fills(traffic, 0), "lines brought into L1")                              \
    X(L1_WRITEBACKS, writebacks(traffic, 0), "dirty lines leaving L1")                   \
    X(L2_FILLS, fills(traffic, 1), "lines brought into L2")                              \
    X(L2_WRITEBACKS, writebacks(traffic, 1), "dirty lines leaving L2")                   \
    X(L3_FILLS, fills(traffic, 2), "lines brought into L3")                              \
    X(L3_WRITEBACKS, writebacks(traffic, 2), "dirty lines leaving L3")                   \
    X(L4_FILLS, fills(traffic, 3), "lines brought into L4")                              \
    X(L4_WRITEBACKS, writebacks(traffic, 3), "dirty lines leaving L4")                   \
    X(MEMORY_FILLS, fills(traffic, traffic->level_nr - 1), "lines read from memory")     \
    X(MEMORY_WRITEBACKS, writebacks(traffic, traffic->level_nr - 1),                     \
      "dirty lines written to memory")                                                   \
    X(MEMORY_COVERED, covered(traffic, traffic->level_nr - 1),                           \
      "of the lines read from memory, those a stream prefetcher would fetch ahead")      \
    X(NONTEMPORAL_LINES, traffic->nontemporal_lines, "lines written past the caches")    \
    X(PAGE_WALKS, traffic->page_walks, "misses of the last TLB level")

enum {
#define X(name, value, description) EXPORT_##name,
    EXPORT_MAP(X)
#undef X
        EXPORT_NR
};

static long long exported[EXPORT_NR], calls, line_bytes;

/* Through the functions of whichever libsde asks. */
static papi_handle_t offer_all(papi_sde_fptr_struct_t *sde)
{
    papi_handle_t library = sde->init("inflight");
    const struct {
        const char *name, *description;
        int mode;
        long long *value;
    } events[] = {
#define X(name, value, description)                                                      \
    {#name, description, PAPI_SDE_DELTA, &exported[EXPORT_##name]},
        EXPORT_MAP(X)
#undef X
            {"CALLS", "kernel calls counted", PAPI_SDE_DELTA, &calls},
        {"LINE_BYTES", "bytes of a cache line, of the call counted last",
         PAPI_SDE_INSTANT, &line_bytes},
    };

    for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
        sde->register_counter(library, events[i].name, PAPI_SDE_RO | events[i].mode,
                              PAPI_SDE_long_long, events[i].value);
        if (sde->describe_counter)
            sde->describe_counter(library, events[i].name, events[i].description);
    }
    return library;
}

/* `papi_native_avail -sde libinflight_events.so` asks this. */
papi_handle_t papi_sde_hook_list_events(papi_sde_fptr_struct_t *sde)
{
    return offer_all(sde);
}

static void offer_once(void)
{
    static bool done;
    papi_sde_fptr_struct_t sde;

    if (done)
        return;
    done = true;
    POPULATE_SDE_FPTR_STRUCT(sde);
    sde.describe_counter = NULL; /* libsde 1.0 loses descriptions at exit */
    offer_all(&sde);
}

static bool has_level(const struct traffic *traffic, int level)
{
    return level >= 0 && level < traffic->level_nr;
}

static struct quantity fills(const struct traffic *traffic, int level)
{
    return has_level(traffic, level) ? traffic->edge[level].fills : quantity_unknown();
}

static struct quantity covered(const struct traffic *traffic, int level)
{
    return has_level(traffic, level) ? traffic->edge[level].covered : quantity_unknown();
}

static struct quantity writebacks(const struct traffic *traffic, int level)
{
    return has_level(traffic, level) ? traffic->edge[level].writebacks
                                     : quantity_unknown();
}

static long long whole(struct quantity quantity)
{
    return quantity.known && fabs(quantity.value) < 9e18 ? llround(quantity.value) : 0;
}

bool traffic_export(const struct traffic *traffic)
{
    offer_once();
#define X(name, value, description) exported[EXPORT_##name] += whole(value);
    EXPORT_MAP(X)
#undef X
    calls++;
    line_bytes = traffic->line_bytes;
    return true;
}

#else

bool traffic_export(const struct traffic *traffic)
{
    (void)traffic;
    return false;
}

#endif
