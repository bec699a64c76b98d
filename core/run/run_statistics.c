#include <math.h>
#include <stdlib.h>

#include "core/run/run.h"
#include "core/run/run_parts.h"

/* ---- pairs ---- */

/* Quadruples of all launches, and each launch's median. */
struct quads {
    double *value;
    double *level;    /* share of its time in which it waited for a processor */
    unsigned *launch; /* from 0, of those that have any */
    size_t nr;
    struct witness side[2], both; /* of all that count */
    double *median;
    size_t launch_nr, min; /* fewest quadruples of a launch */
};

/*
 * What is built of intervals of 99 % and 98 % promises 95 %: to end when an interval is
 * narrow, and to pool launches that look equal, costs coverage (docs/internals/method.md
 * has the simulation).
 */
static const double ranks_level = 0.99;
enum {
    pairs_ranks_min = 8, /* values that ranks give 99 % for */
    quads_min = 2,       /* of each launch, for pooling */
    quads_half = 6,      /* values that ranks give 95 % for */
};
/* Of less taken time no trace is looked for; two intervals of 95 % that do not meet are
 * chance once in two hundred times. */
static const double level_reported = 0.05, level_level = 0.95;
/* 98 %, both sides */
static const double student[pairs_ranks_min] = {
    [2] = 31.821, [3] = 6.965, [4] = 4.541, [5] = 3.747, [6] = 3.365, [7] = 3.143};

static double pair_ratio(const struct run_sample *a, const struct run_sample *b)
{
    return a->seconds / b->seconds;
}

static bool is_disturbed(const struct run_sample *a, const struct run_sample *b)
{
    return a->disturbed || b->disturbed;
}

/* The mean of the four, whatever they last. */
static double level_of(const struct run_sample *a, const struct run_sample *b,
                       size_t first, size_t second)
{
    const struct run_sample *four[] = {&a[first], &b[first], &a[second], &b[second]};
    double level = 0;

    for (size_t i = 0; i < ARRAY_SIZE(four); i++) {
        struct witness witness = {0};

        witness_add(&witness, four[i]);
        level += witness.waited_s / witness.wall_s / (double)ARRAY_SIZE(four);
    }
    return level;
}

/* The order in a pair alternates: one of even and one of odd place make a quadruple. A
 * pair whose neighbour was left out waits for the next of the other order. */
static size_t add_quads(const struct run_sample *a, const struct run_sample *b, size_t nr,
                        bool undisturbed, double *value, double *level)
{
    size_t found = 0, waiting = nr;

    for (size_t i = 0; i < nr; i++) {
        if (undisturbed && is_disturbed(&a[i], &b[i]))
            continue;
        if (waiting < nr && (i - waiting) % 2 == 1) {
            level[found] = level_of(a, b, waiting, i);
            value[found++] =
                sqrt(pair_ratio(&a[waiting], &b[waiting]) * pair_ratio(&a[i], &b[i]));
            waiting = nr;
        } else {
            waiting = i;
        }
    }
    return found;
}

/* To take the few that were left alone would be a choice: where calls last longer than
 * the machine ever is quiet, there are none of one side. */
static bool most_are_undisturbed(const struct run_sample *a, const struct run_sample *b,
                                 size_t nr)
{
    size_t disturbed = 0;

    for (size_t i = 0; i < nr; i++)
        disturbed += is_disturbed(&a[i], &b[i]);
    return 2 * disturbed <= nr;
}

static void pairs_add_witnesses(struct quads *quads, const struct run_sample *a,
                                const struct run_sample *b, size_t nr, bool undisturbed)
{
    for (size_t i = 0; i < nr; i++) {
        if (undisturbed && is_disturbed(&a[i], &b[i]))
            continue;
        witness_add(&quads->side[0], &a[i]);
        witness_add(&quads->side[1], &b[i]);
        witness_add(&quads->both, &a[i]);
        witness_add(&quads->both, &b[i]);
    }
}

/* A launch of one pair alone gives its ratio. */
static void add_launch(struct quads *quads, const struct run_sample *a,
                       const struct run_sample *b, size_t nr)
{
    double *value = quads->value + quads->nr, *level = quads->level + quads->nr;
    bool undisturbed = most_are_undisturbed(a, b, nr);
    size_t found = undisturbed ? add_quads(a, b, nr, true, value, level) : 0;

    if (found == 0) {
        undisturbed = false;
        found = add_quads(a, b, nr, false, value, level);
    }
    pairs_add_witnesses(quads, a, b, nr, undisturbed);
    if (found == 0) {
        value[0] = pair_ratio(a, b);
        found = 1;
    }
    for (size_t i = 0; i < found; i++)
        quads->launch[quads->nr + i] = (unsigned)quads->launch_nr;
    quads->median[quads->launch_nr++] = median_of(value, found);
    quads->nr += found;
    if (found < quads->min)
        quads->min = found;
}

static struct quads quads_of(const struct run_result *a, const struct run_result *b)
{
    size_t nr = a->sample_nr < b->sample_nr ? a->sample_nr : b->sample_nr;
    struct quads quads = {.value = xcalloc(nr + 1, sizeof(double)),
                          .level = xcalloc(nr + 1, sizeof(double)),
                          .launch = xcalloc(nr + 1, sizeof(unsigned)),
                          .median = xcalloc(nr + 1, sizeof(double)),
                          .min = SIZE_MAX};

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
    free(quads->level);
    free(quads->launch);
    free(quads->median);
}

/* What is too few for ranks by itself may be enough together. */
static bool may_pool(const struct quads *quads)
{
    if (quads->launch_nr == 1 || quads->launch_nr >= pairs_ranks_min)
        return false;
    return quads->nr >= pairs_ranks_min && quads->min >= quads_min &&
           !groups_differ(quads->value, quads->launch, quads->nr, quads->launch_nr);
}

static struct interval interval_of(const double *sorted, size_t nr)
{
    if (nr == 1)
        return (struct interval){sorted[0], sorted[0]};
    return nr < pairs_ranks_min ? interval_of_few(sorted, nr, student[nr])
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

/* ---- is it to be believed ---- */

/*
 * Time that was taken out may leave traces: a neighbour leaves other caches behind, and
 * copies that are not on their cores together share less. If so, the ratio depends on how
 * much was taken: the quadruples of which less was taken and those of which more was
 * taken then have intervals that lie apart by more than what a claim has room for.
 */
static struct interval interval_of_level(const struct quads *quads, double cut,
                                         bool above, size_t *nr)
{
    double *value = xcalloc(quads->nr + 1, sizeof(*value));
    struct interval interval = {0};

    *nr = 0;
    for (size_t i = 0; i < quads->nr; i++)
        if ((quads->level[i] > cut) == above)
            value[(*nr)++] = quads->value[i];
    sort_doubles(value, *nr);
    if (*nr >= quads_half)
        interval = interval_of_ranks(value, *nr, level_level);
    free(value);
    return interval;
}

static bool depends_on_level(const struct quads *quads)
{
    double cut = median_of(quads->level, quads->nr);
    size_t less_nr, more_nr;
    struct interval less = interval_of_level(quads, cut, false, &less_nr),
                    more = interval_of_level(quads, cut, true, &more_nr);

    return less_nr >= quads_half && more_nr >= quads_half &&
           (less.high * witness_room < more.low || more.high * witness_room < less.low);
}

/* Before the quadruples are sorted. Each side for itself: the shorter one may have been
 * left alone while the longer one never was. */
static bool is_doubtful(const struct quads *quads)
{
    struct quantity judged = quantity_unknown();

    for (int side = 0; side < 2; side++)
        witness_judge(&quads->side[side], &judged);
    return judged.doubted ||
           (quads->both.waited_s > level_reported * quads->both.wall_s &&
            depends_on_level(quads));
}

/* As run_ratio says; both are usable and `together`. */
static struct quantity pairs_ratio(const struct run_result *a, const struct run_result *b)
{
    struct quads quads = quads_of(a, b);
    struct quantity ratio = quantity_unknown();
    bool usable = quads.nr > 0, doubted;

    for (size_t i = 0; i < quads.nr; i++)
        usable = usable && isfinite(quads.value[i]);
    if (usable) {
        doubted = is_doubtful(&quads);
        ratio = may_pool(&quads) ? pooled(&quads) : separate(&quads);
        ratio.doubted = doubted;
        witness_widen(&quads.both, &ratio);
    }
    quads_release(&quads);
    return ratio;
}

/* ---- run statistics ---- */

/* Below it no ranks hold the median with 95 %. */
enum { ranks_min = 6 };

/* One launch: what its samples say together. Unit: seconds per call. */
struct launch_time {
    unsigned launch;
    double median, low, high;
};

static struct quantity summary(const double *value, size_t nr, enum provenance provenance)
{
    double *sorted = sorted_copy(value, nr);
    double middle = median_of_sorted(sorted, nr);
    struct interval interval = {sorted[0], sorted[nr - 1]};

    if (nr >= ranks_min)
        interval = interval_of_ranks(sorted, nr, 0.95);
    else if (nr >= 3)
        interval = interval_of_few(sorted, nr, student_95(nr - 1));
    free(sorted);
    return quantity_between(middle, fmin(interval.low, middle),
                            fmax(interval.high, middle), nr, provenance);
}

struct quantity run_statistics(const double *value, size_t nr, enum provenance provenance)
{
    for (size_t i = 0; i < nr; i++)
        if (!isfinite(value[i]))
            return quantity_unknown();
    return nr ? summary(value, nr, provenance) : quantity_unknown();
}

static int by_launch(const void *a, const void *b)
{
    const struct run_sample *x = a, *y = b;

    if (x->launch != y->launch)
        return x->launch < y->launch ? -1 : 1;
    return compare_doubles(&x->seconds, &y->seconds);
}

/* One entry per launch, in their order. Caller frees. */
static struct launch_time *launch_times(const struct run_result *result,
                                        size_t *launch_nr)
{
    size_t nr = result->sample_nr, found = 0;
    struct launch_time *launch = xcalloc(nr + 1, sizeof(*launch));
    struct run_sample *sample = xcalloc(nr + 1, sizeof(*sample));
    double *seconds = xcalloc(nr + 1, sizeof(*seconds));

    nr = samples_that_count(result, sample);
    qsort(sample, nr, sizeof(*sample), by_launch);
    for (size_t i = 0; i < nr; i++)
        seconds[i] = sample[i].seconds;
    for (size_t from = 0, to; from < nr; from = to) {
        for (to = from; to < nr && sample[to].launch == sample[from].launch;)
            to++;
        launch[found++] =
            (struct launch_time){.launch = sample[from].launch,
                                 .median = median_of_sorted(seconds + from, to - from),
                                 .low = seconds[from],
                                 .high = seconds[to - 1]};
    }
    free(seconds);
    free(sample);
    *launch_nr = found;
    return launch;
}

/* Summary of the launches' values; the range of all samples if there are too few
 * launches. */
static struct quantity of_launches(const struct launch_time *launch, size_t nr)
{
    double *median = xcalloc(nr + 1, sizeof(*median));
    struct quantity all;

    for (size_t i = 0; i < nr; i++)
        median[i] = launch[i].median;
    all = run_statistics(median, nr, PROVENANCE_CLOCK);
    for (size_t i = 0; all.known && nr < 3 && i < nr; i++) {
        all.low = fmin(all.low, launch[i].low);
        all.high = fmax(all.high, launch[i].high);
    }
    free(median);
    return all;
}

static bool is_usable(const struct run_result *result)
{
    return result->outcome == RUN_OUTCOME_OK ||
           result->outcome == RUN_OUTCOME_INTERRUPTED;
}

struct quantity run_time_s(const struct run_result *result)
{
    struct quantity time = quantity_unknown();
    size_t nr;

    if (is_usable(result)) {
        struct launch_time *launch = launch_times(result, &nr);

        time = of_launches(launch, nr);
        free(launch);
    }
    return time;
}

/* Replaces a's entries by the ratios of the launches that both have. Returns how many. */
static size_t divide(struct launch_time *a, size_t a_nr, const struct launch_time *b,
                     size_t b_nr)
{
    size_t found = 0;

    for (size_t i = 0, k = 0; i < a_nr && k < b_nr;) {
        if (a[i].launch < b[k].launch) {
            i++;
        } else if (a[i].launch > b[k].launch) {
            k++;
        } else {
            a[found++] = (struct launch_time){.launch = a[i].launch,
                                              .median = a[i].median / b[k].median,
                                              .low = a[i].low / b[k].high,
                                              .high = a[i].high / b[k].low};
            i++;
            k++;
        }
    }
    return found;
}

static void add_witnesses(const struct run_result *result, struct witness *witness)
{
    struct run_sample *sample = xcalloc(result->sample_nr + 1, sizeof(*sample));
    size_t nr = samples_that_count(result, sample);

    for (size_t i = 0; i < nr; i++)
        witness_add(witness, &sample[i]);
    free(sample);
}

/* Each side for itself: the shorter one may have been left alone while the longer one
 * never was. */
static void judge_apart(const struct run_result *a, const struct run_result *b,
                        struct quantity *ratio)
{
    const struct run_result *side[2] = {a, b};
    struct witness both = {0};

    for (int i = 0; ratio->known && i < 2; i++) {
        struct witness one = {0};

        add_witnesses(side[i], &one);
        witness_judge(&one, ratio);
        add_witnesses(side[i], &both);
    }
    witness_widen(&both, ratio);
}

struct quantity run_ratio(const struct run_result *a, const struct run_result *b)
{
    struct quantity ratio = quantity_unknown();
    struct launch_time *a_time, *b_time;
    size_t a_nr, b_nr;

    if (!is_usable(a) || !is_usable(b))
        return ratio;
    if (a->together && b->together)
        return pairs_ratio(a, b);
    a_time = launch_times(a, &a_nr);
    b_time = launch_times(b, &b_nr);
    ratio = of_launches(a_time, divide(a_time, a_nr, b_time, b_nr));
    free(b_time);
    free(a_time);
    judge_apart(a, b, &ratio);
    return ratio;
}
