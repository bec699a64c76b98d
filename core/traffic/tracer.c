#include "core/traffic/tracer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/traffic/tracer_hot.h"

enum { WINDOWS_MAX = 32, WINDOWS_AT_FIRST = 8 };

/* WHOLE: the call is simulated from its start. Else SKIP, WARM, COUNT in turn, TAIL after
 * the last window. */
enum phase { PHASE_WHOLE, PHASE_SKIP, PHASE_WARM, PHASE_COUNT, PHASE_TAIL };

struct window {
    uint64_t first; /* accesses of the call before it */
    struct cache_counts counts;
    uint64_t warm[CACHE_LEVELS_MAX]; /* lines filled while warming */
    uint64_t
        left[CACHE_LEVELS_MAX]; /* write-backs still to come; 0 unless one whole call */
};

struct tracer_hot tracer_hot;
__thread bool tracer_here;

static struct {
    char *out;
    double total, budget, reach;
    bool sampled;
    int call;
    enum phase phase;
    uint64_t length; /* of this phase */
    uint64_t seen;   /* accesses of this call before this phase */
    uint64_t spent;  /* of the budget */
    uint64_t cost;   /* of the last window */
    uint64_t random;
    struct cache_counts base; /* at the start of warming or counting */
    struct window window[WINDOWS_MAX];
    int window_nr;
} tracer;

/*
 * Configuration.
 */

static int complain(const char *what, const char *which)
{
    fprintf(stderr, "the tracer cannot start: %s%s\n", what, which);
    return -1;
}

static bool take_level(struct cache_geometry *geometry, const char *value)
{
    unsigned long long bytes;
    int ways, folded;

    if (geometry->level_nr == CACHE_LEVELS_MAX ||
        sscanf(value, "%llu:%d:%d", &bytes, &ways, &folded) != 3)
        return false;
    geometry->level[geometry->level_nr].bytes = bytes;
    geometry->level[geometry->level_nr].ways = ways;
    geometry->level[geometry->level_nr].folded = folded != 0;
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
    else if (strcmp(name, "reach") == 0)
        tracer.reach = number;
    else
        return false;
    return true;
}

static int take_geometry(struct cache_geometry *geometry, const char *text)
{
    char name[16], value[64];
    int used;

    while (sscanf(text, " %15[a-z]=%63[^ ]%n", name, value, &used) == 2) {
        if (!take_word(geometry, name, value))
            return complain("wrong word in --geometry: ", text);
        text += used;
    }
    return *text ? complain("wrong word in --geometry: ", text) : 0;
}

int tracer_configure(const char *geometry, double total, double budget, const char *out)
{
    struct cache_geometry machine = {0};
    const char *why;

    memset(&tracer, 0, sizeof(tracer));
    if (take_geometry(&machine, geometry))
        return -1;
    if (cache_model_init(&tracer_hot.model, &machine, &why))
        return complain(why, "");
    tracer.total = total > 0 ? total : 0;
    tracer.budget = budget >= 4096 ? budget : budget > 0 ? 4096 : 6e7;
    tracer.sampled = tracer.total > tracer.budget;
    if (tracer.reach <= 0 || tracer.reach > tracer.total)
        tracer.reach = tracer.total;
    tracer.random = 88172645463325252u;
    tracer.out = strdup(out);
    return tracer.out ? 0 : complain("out of memory", "");
}

int tracer_calls(void)
{
    return tracer.sampled ? 1 : 2;
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

static void write_window(FILE *file, const struct window *window)
{
    fprintf(file, "window %llu\n", (unsigned long long)window->first);
#define X(name) fprintf(file, #name " %llu\n", (unsigned long long)window->counts.name);
    CACHE_COUNT_MAP(X)
#undef X
#define X(name) write_levels(file, #name, window->counts.name);
    CACHE_LEVEL_COUNT_MAP(X)
#undef X
    write_levels(file, "warm", window->warm);
    write_levels(file, "left", window->left);
}

/* end: how the tracing came to its end, a word for trace.c. */
static void write_results(const char *end)
{
    FILE *file = fopen(tracer.out, "w");
    bool bad;

    if (!file) {
        fprintf(stderr, "cannot write '%s': %s\n", tracer.out, strerror(errno));
        _exit(1);
    }
    fprintf(file, "end %s\ncall %d\nseen %llu\n", end, tracer.call,
            (unsigned long long)tracer.seen);
    for (int i = 0; i < tracer.window_nr; i++)
        write_window(file, &tracer.window[i]);
    fprintf(file, "done\n");
    bad = ferror(file);
    if (fclose(file) || bad) {
        fprintf(stderr, "cannot write '%s': the device is full or broken\n", tracer.out);
        _exit(1);
    }
}

static void end_program(const char *end)
{
    tracer_here = false;
    write_results(end);
    _exit(0);
}

/*
 * Phases.
 */

/* From tracer_next() on, the access at hand is the first one of the phase. */
static void begin(enum phase phase, double length)
{
    tracer.phase = phase;
    tracer.length = length < 1 ? 1 : (uint64_t)length;
    tracer_hot.left = tracer.length - 1;
    tracer_hot.simulating = phase != PHASE_SKIP && phase != PHASE_TAIL;
}

static void set_base(void)
{
    cache_model_drain(&tracer_hot.model);
    tracer.base = cache_model_counts(&tracer_hot.model);
}

static struct cache_counts counts_since_base(void)
{
    struct cache_counts now = cache_model_counts(&tracer_hot.model);

    return cache_counts_since(&now, &tracer.base);
}

static void begin_warm(double length)
{
    begin(PHASE_WARM, length);
    set_base();
    memset(&tracer.window[tracer.window_nr], 0, sizeof(struct window));
    tracer.cost = 0;
}

static void begin_count(double length)
{
    struct window *window = &tracer.window[tracer.window_nr];

    begin(PHASE_COUNT, length);
    memcpy(window->warm, counts_since_base().fills, sizeof(window->warm));
    set_base();
    window->first = tracer.seen;
}

static void close_window(void)
{
    cache_model_drain(&tracer_hot.model);
    tracer.window[tracer.window_nr].counts = counts_since_base();
    if (tracer.window[tracer.window_nr].counts.accesses)
        tracer.window_nr++;
}

/* 0.25 .. 0.75: where in its part of the call a window lies, so that no period of the
 * loops can hide. */
static double jitter(void)
{
    tracer.random ^= tracer.random << 13;
    tracer.random ^= tracer.random >> 7;
    tracer.random ^= tracer.random << 17;
    return 0.25 + 0.5 * (double)(tracer.random >> 11) * 0x1p-53;
}

/* Skips to the next window, of as many as the rest of the budget pays for, or to the end.
 */
static void plan(void)
{
    double rest = tracer.budget - (double)tracer.spent;
    double cost =
        tracer.window_nr ? (double)tracer.cost : tracer.budget / WINDOWS_AT_FIRST;
    double ahead = tracer.reach - (double)tracer.seen,
           windows = (double)(int)(rest / cost + 0.5);

    if (windows < 1 && tracer.window_nr < 2)
        windows = 1;
    if (windows < 1 || ahead < cost / 2 || tracer.window_nr == WINDOWS_MAX) {
        if (tracer.reach < tracer.total)
            end_program("reach");
        begin(PHASE_TAIL, 1.02 * tracer.total - (double)tracer.seen);
        return;
    }
    begin(PHASE_SKIP, (ahead / windows - cost) * jitter());
}

static bool is_warm(void)
{
    struct cache_counts warm = counts_since_base();

    for (int k = 0; k < tracer_hot.model.level_nr; k++)
        if ((double)warm.fills[k] <
            1.25 * (double)cache_model_capacity(&tracer_hot.model, k))
            return false;
    return true;
}

/* One more piece of warming, unless every level was filled anew or too much of the budget
 * is gone. */
static void go_on_warming(void)
{
    double rest = tracer.budget - (double)(tracer.spent - tracer.cost);
    double most =
        rest * 2 / 3 < tracer.budget * 0.35 ? rest * 2 / 3 : tracer.budget * 0.35;
    double warm = (double)tracer.cost, count = tracer.budget / 16;

    if (warm < most && !is_warm())
        begin(PHASE_WARM, tracer.budget / 256);
    else
        begin_count(warm / 2 > count ? warm / 2 : count);
}

void tracer_next(void)
{
    bool simulated = tracer_hot.simulating;

    tracer.seen += tracer.length;
    tracer.cost += simulated ? tracer.length : 0;
    tracer.spent += simulated ? tracer.length : 0;
    switch (tracer.phase) {
    case PHASE_WHOLE:
        close_window();
        end_program(tracer.total > 0 ? "beyond" : "budget");
        break;
    case PHASE_SKIP:
        begin_warm(tracer.budget / 256);
        break;
    case PHASE_WARM:
        go_on_warming();
        break;
    case PHASE_COUNT:
        close_window();
        plan();
        break;
    case PHASE_TAIL:
        end_program("beyond");
    }
}

void tracer_start(void)
{
    if (!tracer.out)
        return;
    tracer.call++;
    tracer.seen = tracer.spent = tracer.cost = 0;
    tracer.window_nr = 0;
    if (tracer.sampled) {
        plan();
    } else {
        begin(PHASE_WHOLE, tracer.total > 0 ? 1.25 * tracer.total + 1e5 : tracer.budget);
        memset(&tracer.window[0], 0, sizeof(struct window));
        set_base();
    }
    tracer_hot.left++; /* there is no access at hand */
    tracer_here = true;
}

void tracer_stop(void)
{
    if (!tracer_here)
        return;
    tracer_here = false;
    tracer.seen += tracer.length - tracer_hot.left;
    if (tracer.phase == PHASE_WHOLE) {
        close_window();
        if (tracer.call == 1)
            cache_model_dirty(&tracer_hot.model, tracer.window[0].left);
    } else if (tracer.phase == PHASE_COUNT &&
               (tracer.window_nr < 2 || tracer_hot.left < tracer.length / 2)) {
        close_window();
    }
    write_results("complete");
}

/*
 * Announced by the harness.
 */

void tracer_prefetch(const void *address, int rw, int locality)
{
    (void)rw;
    if (tracer_here && tracer_hot.simulating)
        cache_model_prefetch(&tracer_hot.model, (uintptr_t)address,
                             locality == 1 || locality == 2);
}

void tracer_nontemporal_store(const void *address, size_t bytes)
{
    if (!tracer_here)
        return;
    tracer_hot.announced = (uintptr_t)address;
    tracer_hot.announced_bytes = bytes;
    if (tracer_counts())
        cache_model_nontemporal(&tracer_hot.model, (uintptr_t)address, bytes);
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
    const char *to = destination, *from = source;

    while (bytes) {
        size_t here = (size_t)(tracer_hot.model.line_mask + 1 -
                               ((uintptr_t)to & tracer_hot.model.line_mask));

        if (here > bytes)
            here = bytes;
        tracer_load(from, here);
        tracer_store(to, here);
        to += here;
        from += here;
        bytes -= here;
    }
}
