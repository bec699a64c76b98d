/* Phases: known changes are found where they are, noise of any kind makes none. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/random.h"
#include "observe/observe.h"
#include "tests/check.h"

SUITE(observe_timeline_phases);

enum { bins = 300, tries = 60 };

static double uniform(uint64_t *seed)
{
    return ((double)(random_next(seed) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *seed)
{
    double radius = sqrt(-2 * log(uniform(seed)));

    return radius * cos(2 * acos(-1) * uniform(seed));
}

static double poisson(double mean, uint64_t *seed)
{
    double limit = exp(-mean), product = uniform(seed), nr = 0;

    for (; product > limit; nr++)
        product *= uniform(seed);
    return nr;
}

/* A time line of `event_nr` events, 10 ms a bin, to be filled in. */
static void make(struct timeline *timeline, size_t event_nr, size_t nr)
{
    struct timeline_event event = {.name = (char[]){"x"},
                                   .label = (char[]){"x"},
                                   .unit = (char[]){""},
                                   .source = (char[]){""},
                                   .factor = 1};

    *timeline = (struct timeline){.interval_s = 0.01};
    for (size_t i = 0; i < event_nr; i++)
        timeline_add_event(timeline, &event);
    for (size_t k = 0; k < nr; k++) {
        timeline_add_bin(
            timeline, (struct timeline_bin){0.01 * (double)k, 0.01 * (double)(k + 1), 0});
        for (size_t i = 0; i < event_nr; i++)
            timeline->event[i].share[k] = 1;
    }
}

static size_t phases_of(const struct timeline *timeline)
{
    struct timeline_phases phases;
    size_t nr;

    timeline_find_phases(timeline, &phases);
    nr = phases.nr;
    timeline_phases_release(&phases);
    return nr;
}

/* ---- noise ---- */

enum noise { GAUSS, POISSON, RARE, SPARSE, BURSTS, MEMORY, TINY, NOISE_NR };

static double noise_of(enum noise noise, double last, uint64_t *seed)
{
    switch (noise) {
    case GAUSS:
        return 100 + 10 * normal(seed);
    case POISSON:
        return 100 * poisson(4, seed);
    case RARE:
        return 100 * poisson(0.4, seed);
    case SPARSE:
        return 100 * poisson(0.02, seed);
    case BURSTS:
        return 50 + normal(seed) + (uniform(seed) < 0.02 ? 1000 * uniform(seed) : 0);
    case MEMORY: /* each value a third of the one before */
        return 100 + (last - 100) / 3 + 10 * normal(seed);
    default: /* within the grain */
        return 1 + 1e-4 * (uniform(seed) < 0.5);
    }
}

TEST("noise makes no phases")
{
    for (enum noise noise = 0; noise < NOISE_NR; noise++) {
        uint64_t seed = 7 + noise;
        size_t wrong = 0;

        for (int try = 0; try < tries; try++) {
            struct timeline timeline;

            make(&timeline, 4, bins);
            for (size_t i = 0; i < 4; i++) {
                timeline.event[i].discrete =
                    noise == POISSON || noise == RARE || noise == SPARSE;
                timeline.event[i].resolution = noise == TINY ? 0.01 : 0;
                for (size_t k = 0; k < bins; k++)
                    timeline.event[i].value[k] =
                        noise_of(noise, k ? timeline.event[i].value[k - 1] : 100, &seed);
            }
            wrong += phases_of(&timeline) != 1;
            timeline_release(&timeline);
        }
        if (!check(wrong == 0))
            printf("noise %d: phases in %zu of %d\n", (int)noise, wrong, tries);
    }
}

/* ---- changes ---- */

/* Low, high, low, other event high; the step is 3 sigma. */
static void fill_steps(struct timeline *timeline, double step, uint64_t *seed)
{
    for (size_t k = 0; k < bins; k++) {
        bool high = k >= 60 && k < 90, other = k >= 200;

        timeline->event[0].value[k] = 100 + 10 * normal(seed) + (high ? step : 0);
        timeline->event[1].value[k] = 5 + normal(seed) + (other ? step / 10 : 0);
        timeline->event[2].value[k] = 7;
    }
}

static bool near_bin(size_t got, size_t want)
{
    return got + 2 >= want && got <= want + 2;
}

TEST("known changes are found")
{
    static const size_t want[] = {60, 90, 200};
    uint64_t seed = 3;

    for (int try = 0; try < tries; try++) {
        struct timeline timeline;
        struct timeline_phases phases;

        make(&timeline, 3, bins);
        fill_steps(&timeline, 50, &seed);
        timeline_find_phases(&timeline, &phases);
        if (check_eq(phases.nr, 4)) {
            for (size_t i = 0; i < 3; i++)
                check(near_bin(phases.phase[i + 1].from, want[i]));
            check_eq(phases.phase[0].kind, 0);
            check_eq(phases.phase[1].kind, 1);
            check_eq(phases.phase[2].kind, 0);
            check_eq(phases.phase[3].kind, 2);
            check_eq(phases.kind_nr, 3);
            check_near(phases.phase[1].mean[0], 150, 0.1);
            check_near(phases.phase[3].to_s, 3, 1e-9);
        }
        timeline_phases_release(&phases);
        timeline_release(&timeline);
    }
}

/* A change in the midst of a reading is one change. */
TEST("halfway is no phase")
{
    struct timeline timeline;
    struct timeline_phases phases;

    make(&timeline, 1, bins);
    for (size_t k = 0; k < bins; k++)
        timeline.event[0].value[k] = k < 100    ? 1
                                     : k == 100 ? 2.2
                                     : k < 200  ? 3
                                     : k == 200 ? 2.2
                                                : 1;
    timeline_find_phases(&timeline, &phases);
    if (check_eq(phases.nr, 3)) { /* it belongs where it is nearer to */
        check_eq(phases.phase[1].from, 100);
        check_eq(phases.phase[2].from, 201);
    }
    timeline_phases_release(&phases);
    timeline_release(&timeline);
}

/* By less than a tenth in all, though plainly beyond the noise. */
TEST("creeping is no phase")
{
    struct timeline timeline;

    make(&timeline, 1, bins);
    for (size_t k = 0; k < bins; k++)
        timeline.event[0].value[k] = k < 150 ? 100 : 108;
    check_eq(phases_of(&timeline), 1);
    timeline_release(&timeline);
}

TEST("stock and gaps")
{
    struct timeline timeline;

    make(&timeline, 3, bins);
    timeline.event[0].gauge = true;
    for (size_t k = 0; k < bins; k++) {
        timeline.event[0].value[k] = (double)k; /* piles up */
        timeline.event[1].value[k] = k % 3 ? (k < 150 ? 10 : 20) : NAN;
        timeline.event[2].value[k] = NAN;
    }
    check_eq(phases_of(&timeline), 2);
    timeline_release(&timeline);
}

/* Above PHASE_GROUPS_MAX readings, in groups. */
TEST("long time lines")
{
    struct timeline timeline;
    struct timeline_phases phases;
    uint64_t seed = 5;

    make(&timeline, 2, 20000);
    for (size_t k = 0; k < 20000; k++) {
        timeline.event[0].value[k] = 100 + 10 * normal(&seed) + (k < 12345 ? 0 : 20);
        timeline.event[1].value[k] = normal(&seed);
    }
    timeline_find_phases(&timeline, &phases);
    if (check_eq(phases.nr, 2)) {
        check_near((double)phases.phase[1].from, 12345, 0.01);
        check_eq(phases.phase[1].to, 20000);
    }
    timeline_phases_release(&phases);
    timeline_release(&timeline);
}

TEST("few readings")
{
    for (size_t nr = 0; nr < 6; nr++) {
        struct timeline timeline;

        make(&timeline, 1, nr);
        for (size_t k = 0; k < nr; k++)
            timeline.event[0].value[k] = (double)(k % 2);
        check_eq(phases_of(&timeline), nr > 0);
        timeline_release(&timeline);
    }
}
