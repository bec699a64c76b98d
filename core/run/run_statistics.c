#include "core/run/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/run/run_samples.h"

enum { resamples = 2000, bootstrap_alone = 8 };

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

static double median_of_sorted(const double *value, size_t nr)
{
    return 0.5 * (value[(nr - 1) / 2] + value[nr / 2]);
}

/* splitmix64: tiny, and its sequence is the same everywhere. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static size_t random_below(uint64_t *state, size_t limit)
{
    double unit = (double)(next_random(state) >> 11) * 0x1p-53;

    return (size_t)(unit * (double)limit);
}

/* The value of the given rank when sorted value[i] stands `times[i]` times. */
static double value_of_rank(const double *value, const unsigned *times, size_t rank)
{
    size_t i = 0;

    for (size_t seen = times[0]; seen <= rank; seen += times[i])
        i++;
    return value[i];
}

static double resampled_median(const double *value, size_t nr, unsigned *times,
                               uint64_t *state)
{
    memset(times, 0, nr * sizeof(*times));
    for (size_t i = 0; i < nr; i++)
        times[random_below(state, nr)]++;
    return 0.5 * (value_of_rank(value, times, (nr - 1) / 2) +
                  value_of_rank(value, times, nr / 2));
}

static void bootstrap(const double *value, size_t nr, double *low, double *high)
{
    unsigned *times = xcalloc(nr, sizeof(*times));
    double *median = xcalloc(resamples, sizeof(*median));
    uint64_t state = 1;

    for (size_t i = 0; i < resamples; i++)
        median[i] = resampled_median(value, nr, times, &state);
    sort_doubles(median, resamples);
    *low = median[resamples / 40];
    *high = median[resamples - 1 - resamples / 40];
    free(median);
    free(times);
}

static double deviation(const double *value, size_t nr, bool logarithm)
{
    double mean = 0, squares = 0;

    for (size_t i = 0; i < nr; i++)
        mean += (logarithm ? log(value[i]) : value[i]) / (double)nr;
    for (size_t i = 0; i < nr; i++)
        squares += pow((logarithm ? log(value[i]) : value[i]) - mean, 2);
    return sqrt(squares / (double)(nr - 1));
}

/*
 * Simulated coverage of the bootstrap alone: 0.75, 0.87, 0.94, 0.94, 0.87 for 3 to 7
 * normal values, 0.92 to 0.94 from 8 on; together with this one 0.94 to 0.97.
 */
static void widen(const double *sorted, size_t nr, double *low, double *high)
{
    static const double student[bootstrap_alone] = {
        [3] = 4.303, [4] = 3.182, [5] = 2.776, [6] = 2.571, [7] = 2.447};
    double middle = median_of_sorted(sorted, nr);
    bool logarithm = sorted[0] > 0;
    double half = student[nr] * deviation(sorted, nr, logarithm) / sqrt((double)nr);

    *low = fmin(*low, logarithm ? middle * exp(-half) : middle - half);
    *high = fmax(*high, logarithm ? middle * exp(half) : middle + half);
}

static struct quantity summary(const double *value, size_t nr, enum provenance provenance)
{
    double *sorted = sorted_copy(value, nr);
    double middle = median_of_sorted(sorted, nr);
    double low = sorted[0], high = sorted[nr - 1];

    if (nr >= 3)
        bootstrap(sorted, nr, &low, &high);
    if (nr >= 3 && nr < bootstrap_alone)
        widen(sorted, nr, &low, &high);
    free(sorted);
    return quantity_between(middle, fmin(low, middle), fmax(high, middle), nr,
                            provenance);
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

struct quantity run_ratio(const struct run_result *a, const struct run_result *b)
{
    struct quantity ratio = quantity_unknown();
    struct launch_time *a_time, *b_time;
    size_t a_nr, b_nr;

    if (!is_usable(a) || !is_usable(b))
        return ratio;
    a_time = launch_times(a, &a_nr);
    b_time = launch_times(b, &b_nr);
    ratio = of_launches(a_time, divide(a_time, a_nr, b_time, b_nr));
    free(b_time);
    free(a_time);
    return ratio;
}
