#include "core/traffic/tracer/tracer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/traffic/tracer/tracer_hot.h"
#include "core/traffic/tracer/tracer_others.h"
#include "core/traffic/tracer/tracer_state.h"

struct tracer_state tracer_state;
bool tracer_instrumented;
struct tracer_hot tracer_hot = {.skip = INT64_MAX};
__thread bool tracer_here;

/*
 * Configuration.
 */

static double seconds_of(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double tracer_now_s(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

double tracer_wall_s(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

static int complain(const char *what, const char *which)
{
    fprintf(stderr, "the tracer cannot start: %s%s\n", what, which);
    return -1;
}

static bool take_level(struct cache_geometry *geometry, const char *value)
{
    unsigned long long bytes;
    int ways, folded, inclusion = CACHE_NON_INCLUSIVE, copies = 1;

    if (geometry->level_nr == CACHE_LEVELS_MAX ||
        sscanf(value, "%llu:%d:%d:%d:%d", &bytes, &ways, &folded, &inclusion, &copies) <
            3)
        return false;
    geometry->level[geometry->level_nr].bytes = bytes;
    geometry->level[geometry->level_nr].ways = ways;
    geometry->level[geometry->level_nr].folded = folded != 0;
    geometry->level[geometry->level_nr].inclusion = (enum cache_inclusion)inclusion;
    geometry->level[geometry->level_nr].copies = copies;
    geometry->level_nr++;
    return true;
}

static bool take_word(struct cache_geometry *geometry, const char *name,
                      const char *value)
{
    char *end;
    double number = strtod(value, &end);

    if (strcmp(name, "level") == 0)
        return take_level(geometry, value);
    if (end == value || *end)
        return false;
    if (strcmp(name, "line") == 0)
        geometry->line_bytes = (int)number;
    else if (strcmp(name, "page") == 0)
        geometry->page_bytes = (uint64_t)number;
    else if (strcmp(name, "tlb") == 0)
        geometry->tlb_entries = (int)number;
    else if (strcmp(name, "streams") == 0)
        geometry->streams = (int)number;
    else if (strcmp(name, "overwritten") == 0)
        geometry->overwritten = number != 0;
    else if (strcmp(name, "plain") == 0)
        geometry->plain = number != 0;
    else if (strcmp(name, "limit") == 0)
        tracer_state.limit_s = number;
    else if (strcmp(name, "wall") == 0)
        tracer_state.wall_s = number;
    else if (strcmp(name, "cold") == 0)
        tracer_state.cold = number != 0;
    else
        return false;
    return true;
}

/* All caches of the text: the first is the one that is traced, and "other" begins one
 * that differs from it in its levels. Returns how many; 0 = the text is wrong. */
static int take_geometry(struct cache_geometry geometry[1 + TRACER_OTHERS_MAX],
                         const char *text)
{
    char name[16], value[64];
    int used, nr = 1;

    while (sscanf(text, " %15[a-z]=%63[^ ]%n", name, value, &used) == 2) {
        bool other = strcmp(name, "other") == 0;

        if (other && nr == 1 + TRACER_OTHERS_MAX)
            break;
        if (other) {
            geometry[nr] = geometry[0];
            geometry[nr++].level_nr = 0;
        } else if (!take_word(&geometry[nr - 1], name, value)) {
            break;
        }
        text += used;
    }
    if (*text)
        complain("wrong word in --geometry: ", text);
    return *text ? 0 : nr;
}

static int init_models(const struct cache_geometry *geometry, int nr)
{
    const char *why;

    if (cache_model_init(&tracer_hot.model, &geometry[0], &why))
        return complain(why, "");
    for (int i = 1; i < nr; i++)
        if (tracer_others_add(&geometry[i], &why))
            return complain(why, "");
    return 0;
}

int tracer_configure(const char *geometry, double total, double budget, const char *out)
{
    struct cache_geometry machine[1 + TRACER_OTHERS_MAX] = {{0}};
    int nr;

    memset(&tracer_state, 0, sizeof(tracer_state));
    tracer_state.born_s = tracer_now_s();
    tracer_state.wall_born_s = tracer_wall_s();
    nr = take_geometry(machine, geometry);
    if (!nr || init_models(machine, nr))
        return -1;
    tracer_state.total = total > 0 ? total : 0;
    tracer_state.budget = budget >= 4096 ? budget : budget > 0 ? 4096 : 6e7;
    tracer_state.sampled = tracer_state.total > tracer_state.budget;
    tracer_state.out = strdup(out);
    return tracer_state.out ? 0 : complain("out of memory", "");
}

int tracer_calls(void)
{
    return tracer_state.sampled || tracer_state.cold ? 1 : 2;
}

/*
 * Results.
 */

static void write_levels(FILE *file, const char *name, const uint64_t *value)
{
    fprintf(file, "%s", name);
    for (int k = 0; k < tracer_hot.model.level_nr; k++)
        fprintf(file, " %llu", (unsigned long long)value[k]);
    fprintf(file, "\n");
}

void tracer_write_counts(FILE *file, const struct tracer_window *window)
{
#define X(name) fprintf(file, #name " %llu\n", (unsigned long long)window->counts.name);
    CACHE_COUNT_MAP(X)
#undef X
#define X(name) write_levels(file, #name, window->counts.name);
    CACHE_LEVEL_COUNT_MAP(X)
#undef X
    write_levels(file, "warm", window->warm);
    write_levels(file, "left", window->left);
}

void tracer_write_results(const char *end)
{
    FILE *file = fopen(tracer_state.out, "w");
    bool bad;

    if (!file) {
        fprintf(stderr, "cannot write '%s': %s\n", tracer_state.out, strerror(errno));
        _exit(1);
    }
    fprintf(file, "end %s\ninstrumented %d\ncall %d\nseen %llu\n", end,
            tracer_instrumented, tracer_state.call,
            (unsigned long long)tracer_state.seen);
    tracer_parts_write(file);
    for (int i = 0; i < tracer_state.window_nr; i++) {
        fprintf(file, "window %llu\n", (unsigned long long)tracer_state.window[i].first);
        tracer_write_counts(file, &tracer_state.window[i]);
        tracer_parts_write_window(file, i);
        tracer_others_write(file, i);
    }
    fprintf(file, "done\n");
    bad = ferror(file);
    if (fclose(file) || bad) {
        fprintf(stderr, "cannot write '%s': the device is full or broken\n",
                tracer_state.out);
        _exit(1);
    }
}

void tracer_end_program(const char *end)
{
    tracer_here = false;
    tracer_write_results(end);
    _exit(0);
}

/*
 * Announced by the harness.
 */

static void prefetch(uintptr_t pc, uintptr_t address, int level)
{
    cache_model_prefetch(&tracer_hot.model, tracer_part(pc, address), address, level);
    for (int i = 0; i < tracer_apart_nr; i++)
        cache_model_prefetch(tracer_apart[i], tracer_apart[i]->part, address, level);
}

static void store_past(uintptr_t pc, uintptr_t address, size_t bytes)
{
    cache_model_nontemporal(&tracer_hot.model, tracer_part(pc, address), address, bytes);
    for (int i = 0; i < tracer_apart_nr; i++)
        cache_model_nontemporal(tracer_apart[i], tracer_apart[i]->part, address, bytes);
}

void tracer_prefetch(const void *address, int rw, int locality)
{
    (void)rw;
    if (tracer_here && tracer_hot.skip < 0)
        prefetch(FROM, (uintptr_t)address, locality == 1 || locality == 2);
}

/* While accesses are only passed, the plain store is what counts. */
void tracer_nontemporal_store(const void *address, size_t bytes)
{
    if (!tracer_here || tracer_hot.skip >= 0)
        return;
    if (!tracer_looks()) {
        tracer_hot.skip++; /* from here on accesses are passed */
        return;
    }
    tracer_hot.announced = (uintptr_t)address;
    tracer_hot.announced_bytes = bytes;
    store_past(FROM, (uintptr_t)address, bytes);
}

void tracer_announced_store(uintptr_t address, uint64_t bytes)
{
    uint64_t end = address - tracer_hot.announced + bytes;

    if (end >= tracer_hot.announced_bytes) {
        tracer_hot.announced_bytes = 0;
    } else {
        tracer_hot.announced += end;
        tracer_hot.announced_bytes -= end;
    }
}

void tracer_copy(const void *destination, const void *source, size_t bytes)
{
    tracer_copy_from(FROM, destination, source, bytes);
}

void tracer_copy_from(uintptr_t pc, const void *destination, const void *source,
                      size_t bytes)
{
    const char *to = destination, *from = source;

    while (bytes) {
        size_t here = (size_t)(tracer_hot.model.line_mask + 1 -
                               ((uintptr_t)to & tracer_hot.model.line_mask));

        if (here > bytes)
            here = bytes;
        tracer_load(from, here, pc);
        tracer_store(to, here, pc);
        to += here;
        from += here;
        bytes -= here;
    }
}

void tracer_set(const void *destination, size_t bytes)
{
    tracer_set_from(FROM, destination, bytes);
}

void tracer_set_from(uintptr_t pc, const void *destination, size_t bytes)
{
    const char *to = destination;

    while (bytes) {
        size_t here = (size_t)(tracer_hot.model.line_mask + 1 -
                               ((uintptr_t)to & tracer_hot.model.line_mask));

        if (here > bytes)
            here = bytes;
        tracer_store(to, here, pc);
        to += here;
        bytes -= here;
    }
}

void tracer_read(const void *address, size_t bytes)
{
    tracer_load(address, bytes, FROM);
}

void tracer_write(const void *address, size_t bytes)
{
    tracer_store(address, bytes, FROM);
}

void tracer_write_from(uintptr_t pc, const void *address, size_t bytes)
{
    tracer_store(address, bytes, pc);
}

void tracer_nontemporal(const void *address, size_t bytes)
{
    if (!tracer_passes() && tracer_looks())
        store_past(FROM, (uintptr_t)address, bytes);
}
