#include "core/run/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/run/run_interval.h"
#include "core/run/run_pairs.h"
#include "core/run/run_samples.h"

/* Below it no ranks hold the median with 95 %. */
enum { ranks_least = 6 };

/* One launch: what its samples say together. Unit: seconds per call. */
struct launch_time {
    unsigned launch;
    double median, low, high;
};

static double *sorted_copy(const double *value, size_t nr)
{
    double *copy = xcalloc(nr, sizeof(*copy));

    memcpy(copy, value, nr * sizeof(*copy));
    sort_doubles(copy, nr);
    return copy;
}

static struct quantity summary(const double *value, size_t nr, enum provenance provenance)
{
    double *sorted = sorted_copy(value, nr);
    double middle = median_of_sorted(sorted, nr);
    struct interval interval = {sorted[0], sorted[nr - 1]};

    if (nr >= ranks_least)
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
