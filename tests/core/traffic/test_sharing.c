/* The cache model against real copies that share a level, and against two plain levels.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "tests/check.h"
#include "tests/core/traffic/reference_model.h"

SUITE(traffic_sharing);

/*
 * Copies that share the last level, against as many whole hierarchies that take turns.
 */

enum { COPIES_MAX = 6, SHARED_LINES = 1024, STEPS = 20000 };

static const struct cache_geometry shared = {
    .line_bytes = 64,
    .level_nr = 3,
    .level = {LEVEL(2048, 4, false, NON_INCLUSIVE), LEVEL(8192, 8, false, NON_INCLUSIVE),
              LEVEL(SHARED_LINES * 64, 16, true, NON_INCLUSIVE)},
    .page_bytes = 4096,
    .tlb_entries = 64,
    .streams = 16,
};

/* Lines of one copy, of its share of the level. */
struct pattern {
    double random, swept; /* footprints; 0 = no such accesses */
};

/* The address of access i: random ones and those of a sweep in turn. */
static uint64_t pattern_address(const struct pattern *pattern, int copies, uint64_t i,
                                uint64_t *state)
{
    double share = (double)SHARED_LINES / copies;

    if (pattern->swept > 0 && (i % 2 || pattern->random <= 0))
        return (1u << 30) + i / 2 % (uint64_t)(pattern->swept * share) * 64;
    return random_below(state, (uint64_t)(pattern->random * share)) * 64;
}

/* Misses and write-backs of the last level, of one copy on average. */
static void really_shared(const struct cache_geometry *geometry,
                          const struct pattern *pattern, int copies, double got[2])
{
    struct reference *ref[COPIES_MAX];
    uint64_t state[COPIES_MAX];

    got[0] = got[1] = 0;
    for (int c = 0; c < copies; c++) {
        ref[c] = reference_new(geometry);
        state[c] = 88172645463325252u + (uint64_t)c * 1000003;
        if (c == 0)
            continue;
        free(ref[c]->level[2].way);
        ref[c]->level[2] = ref[0]->level[2];
        ref[c]->time = ref[0]->time;
    }
    for (uint64_t i = 0; i < STEPS; i++)
        for (int c = 0; c < copies; c++) /* each somewhere else in its sweep */
            reference_access(
                ref[c],
                ((uint64_t)(c + 1) << 40) + ((uint64_t)c * 7777 << 12) +
                    pattern_address(pattern, copies, i + (uint64_t)c * 1234, &state[c]),
                8, i % 3 == 0);
    for (int c = 0; c < copies; c++) {
        got[0] += (double)ref[c]->counts[0].fills[2] / copies;
        got[1] += (double)ref[c]->counts[0].writebacks[2] / copies;
        if (c > 0)
            ref[c]->level[2].way = NULL;
    }
    for (int c = 0; c < copies; c++)
        reference_free(ref[c]);
}

static void modelled_shared(struct cache_geometry geometry, const struct pattern *pattern,
                            int copies, double got[2])
{
    struct cache_model *model = xcalloc(1, sizeof(*model));
    uint64_t state = 362436069362436069u;
    struct cache_counts counts;
    const char *why;

    got[0] = got[1] = 0;
    geometry.level[2].copies = copies;
    if (cache_model_init(model, &geometry, &why)) {
        CU_FAIL("no model");
        return;
    }
    for (uint64_t i = 0; i < STEPS; i++) {
        uint64_t address =
            (UINT64_C(1) << 40) + pattern_address(pattern, copies, i, &state);

        if (i % 3 == 0)
            cache_model_store(model, model->part, address, 8);
        else
            cache_model_load(model, model->part, address, 8);
    }
    counts = cache_model_counts(model);
    got[0] = (double)counts.fills[2];
    got[1] = (double)counts.writebacks[2];
    cache_model_release(model);
    free(model);
}

TEST("copies that share the last level")
{
    static const struct pattern patterns[] = {
        {2, 0}, {0.8, 0}, {6, 0}, {0, 0.8}, {0, 1.5}, {1.5, 0.3}, {0.5, 4}, {3, 3},
    };
    static const int copies[] = {2, COPIES_MAX};
    static const enum cache_inclusion inclusions[] = {CACHE_NON_INCLUSIVE,
                                                      CACHE_EXCLUSIVE};

    for (size_t i = 0; i < ARRAY_SIZE(patterns); i++)
        for (size_t c = 0; c < ARRAY_SIZE(copies); c++)
            for (size_t n = 0; n < ARRAY_SIZE(inclusions); n++) {
                struct cache_geometry geometry = shared;
                double want[2], got[2];

                geometry.level[2].inclusion = inclusions[n];
                really_shared(&geometry, &patterns[i], copies[c], want);
                modelled_shared(geometry, &patterns[i], copies[c], got);
                check(fabs(got[0] - want[0]) <= 0.03 * want[0] + 0.002 * STEPS);
                check(fabs(got[1] - want[1]) <= 0.03 * want[1] + 0.002 * STEPS);
            }
}

/*
 * The plain mode, against two levels of lists as valgrind's cachegrind has them.
 */

struct plain_level {
    uint64_t line[64][8]; /* most recent first */
    uint64_t misses;
};

/* Whether it missed; brings it. */
static bool plain_line(struct plain_level *level, uint64_t set_nr, uint64_t line)
{
    uint64_t *set = level->line[line % set_nr];
    int at = 0;

    while (at < 7 && set[at] != line)
        at++;
    if (set[at] == line) {
        memmove(set + 1, set, (size_t)at * sizeof(*set));
        set[0] = line;
        return false;
    }
    memmove(set + 1, set, 7 * sizeof(*set));
    set[0] = line;
    return true;
}

static bool plain_access(struct plain_level *level, uint64_t set_nr, uint64_t address,
                         uint64_t bytes)
{
    bool missed = plain_line(level, set_nr, address / 64);

    if (address / 64 != (address + bytes - 1) / 64)
        missed |= plain_line(level, set_nr, address / 64 + 1);
    level->misses += missed;
    return missed;
}

TEST("as two-level simulators count")
{
    static const struct cache_geometry geometry = {
        .line_bytes = 64,
        .level_nr = 2,
        .level = {LEVEL(8 * 64 * 8, 8, false, NON_INCLUSIVE),
                  LEVEL(64 * 64 * 8, 8, false, NON_INCLUSIVE)},
        .tlb_entries = -1,
        .streams = -1,
        .plain = true,
    };
    static const uint64_t footprints[] = {3000, 20000, 40000, 200000};

    for (size_t i = 0; i < ARRAY_SIZE(footprints); i++) {
        struct plain_level *level = xcalloc(2, sizeof(*level));
        struct cache_model *model = xcalloc(1, sizeof(*model));
        uint64_t state = 88172645463325252u;
        struct cache_counts counts;
        const char *why;

        check_eq(cache_model_init(model, &geometry, &why), 0);
        for (int n = 0; n < 50000; n++) {
            uint64_t bytes = UINT64_C(1) << random_below(&state, 5);
            uint64_t address = 4096 + random_below(&state, footprints[i]);

            if (random_below(&state, 3) == 0)
                cache_model_store(model, model->part, address, bytes);
            else
                cache_model_load(model, model->part, address, bytes);
            if (plain_access(&level[0], 8, address, bytes))
                plain_access(&level[1], 64, address, bytes);
        }
        counts = cache_model_counts(model);
        check_eq(counts.fills[0], level[0].misses);
        check_eq(counts.fills[1], level[1].misses);
        check_eq(counts.hits[0], 50000 - level[0].misses);
        cache_model_release(model);
        free(model);
        free(level);
    }
}
