#include "core/run/run_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/run/run_interval.h"

/* Quadruples of all launches, and each launch's median. */
struct quads {
    double *value;
    unsigned *launch; /* from 0, of those that have any */
    size_t nr;
    double *median;
    size_t launch_nr, least; /* fewest quadruples of a launch */
};

/*
 * What is built of intervals of 99 % and 98 % promises 95 %: to end when an interval is
 * narrow, and to pool launches that look equal, costs coverage (docs/method.md has the
 * simulation).
 */
static const double ranks_level = 0.99;
enum {
    ranks_least = 8, /* values that ranks give 99 % for */
    quads_least = 2, /* of each launch, for pooling */
};
/* 98 %, both sides */
static const double student[ranks_least] = {
    [2] = 31.821, [3] = 6.965, [4] = 4.541, [5] = 3.747, [6] = 3.365, [7] = 3.143};

static double pair_ratio(const struct run_sample *a, const struct run_sample *b)
{
    return a->seconds / b->seconds;
}

/* The order in a pair alternates: one of even and one of odd place make a quadruple. A
 * pair whose neighbour was left out waits for the next of the other order. */
static size_t add_quads(const struct run_sample *a, const struct run_sample *b, size_t nr,
                        bool undisturbed, double *value)
{
    size_t found = 0, waiting = nr;

    for (size_t i = 0; i < nr; i++) {
        if (undisturbed && (a[i].disturbed || b[i].disturbed))
            continue;
        if (waiting < nr && (i - waiting) % 2 == 1) {
            value[found++] =
                sqrt(pair_ratio(&a[waiting], &b[waiting]) * pair_ratio(&a[i], &b[i]));
            waiting = nr;
        } else {
            waiting = i;
        }
    }
    return found;
}

/* A launch of one pair alone gives its ratio. */
static void add_launch(struct quads *quads, const struct run_sample *a,
                       const struct run_sample *b, size_t nr)
{
    double *value = quads->value + quads->nr;
    size_t found = add_quads(a, b, nr, true, value);

    if (found == 0)
        found = add_quads(a, b, nr, false, value);
    if (found == 0) {
        value[0] = pair_ratio(a, b);
        found = 1;
    }
    for (size_t i = 0; i < found; i++)
        quads->launch[quads->nr + i] = (unsigned)quads->launch_nr;
    quads->median[quads->launch_nr++] = median_of(value, found);
    quads->nr += found;
    if (found < quads->least)
        quads->least = found;
}

static struct quads quads_of(const struct run_result *a, const struct run_result *b)
{
    size_t nr = a->sample_nr < b->sample_nr ? a->sample_nr : b->sample_nr;
    struct quads quads = {.value = xcalloc(nr + 1, sizeof(double)),
                          .launch = xcalloc(nr + 1, sizeof(unsigned)),
                          .median = xcalloc(nr + 1, sizeof(double)),
                          .least = SIZE_MAX};

    for (size_t from = 0, to; from < nr; from = to) {
        for (to = from; to < nr && a->sample[to].launch == a->sample[from].launch;)
            to++;
        add_launch(&quads, a->sample + from, b->sample + from, to - from);
    }
    return quads;
}

static void quads_release(struct quads *quads)
{
    free(quads->value);
    free(quads->launch);
    free(quads->median);
}

/* What is too few for ranks by itself may be enough together. */
static bool may_pool(const struct quads *quads)
{
    if (quads->launch_nr == 1 || quads->launch_nr >= ranks_least)
        return false;
    return quads->nr >= ranks_least && quads->least >= quads_least &&
           !groups_differ(quads->value, quads->launch, quads->nr, quads->launch_nr);
}

static struct interval interval_of(const double *sorted, size_t nr)
{
    if (nr == 1)
        return (struct interval){sorted[0], sorted[0]};
    return nr < ranks_least ? interval_of_few(sorted, nr, student[nr])
                            : interval_of_ranks(sorted, nr, ranks_level);
}

static struct quantity between(double value, struct interval interval, size_t launches)
{
    return quantity_between(value, fmin(interval.low, value), fmax(interval.high, value),
                            launches, PROVENANCE_CLOCK);
}

/* Sorts what it is given, as does the next one. */
static struct quantity pooled(struct quads *quads)
{
    struct interval interval;

    sort_doubles(quads->value, quads->nr);
    sort_doubles(quads->median, quads->launch_nr);
    interval = interval_of_ranks(quads->value, quads->nr, ranks_level);
    interval.low = fmin(interval.low, quads->median[0]);
    interval.high = fmax(interval.high, quads->median[quads->launch_nr - 1]);
    return between(median_of_sorted(quads->value, quads->nr), interval, quads->launch_nr);
}

/* The launches as values; those of a single one, if there is no other. */
static struct quantity separate(struct quads *quads)
{
    bool alone = quads->launch_nr == 1;
    double *value = alone ? quads->value : quads->median;
    size_t nr = alone ? quads->nr : quads->launch_nr;

    sort_doubles(value, nr);
    return between(median_of_sorted(value, nr), interval_of(value, nr), quads->launch_nr);
}

struct quantity pairs_ratio(const struct run_result *a, const struct run_result *b)
{
    struct quads quads = quads_of(a, b);
    struct quantity ratio = quantity_unknown();
    bool usable = quads.nr > 0;

    for (size_t i = 0; i < quads.nr; i++)
        usable = usable && isfinite(quads.value[i]);
    if (usable)
        ratio = may_pool(&quads) ? pooled(&quads) : separate(&quads);
    quads_release(&quads);
    return ratio;
}
