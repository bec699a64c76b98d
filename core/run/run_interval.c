#include "core/run/run_parts.h"

#include <math.h>
#include <stdlib.h>

/* ---- order statistics ---- */

/* P(exactly k of nr values lie below the median). */
static double chance_below(size_t nr, size_t k)
{
    double n = (double)nr, below = (double)k;

    return exp(lgamma(n + 1) - lgamma(below + 1) - lgamma(n - below + 1) - n * log(2));
}

struct interval interval_of_ranks(const double *sorted, size_t nr, double level)
{
    double covers = 1 - 2 * chance_below(nr, 0), next = covers;
    double share, weight;
    size_t rank = 1; /* from 1: the interval is from this rank to the same from above */

    if (nr < 3 || covers < level)
        return (struct interval){sorted[0], sorted[nr - 1]};
    while (2 * (rank + 1) <= nr) {
        next = covers - 2 * chance_below(nr, rank);
        if (next < level)
            break;
        covers = next;
        rank++;
    }
    share = next < covers ? (covers - level) / (covers - next) : 0;
    weight = (double)(nr - rank) * share /
             ((double)rank + ((double)nr - 2 * (double)rank) * share);
    return (struct interval){(1 - weight) * sorted[rank - 1] + weight * sorted[rank],
                             (1 - weight) * sorted[nr - rank] +
                                 weight * sorted[nr - rank - 1]};
}

/* ---- Student ---- */

static double deviation(const double *value, size_t nr, bool logarithm)
{
    double mean = 0, squares = 0;

    for (size_t i = 0; i < nr; i++)
        mean += (logarithm ? log(value[i]) : value[i]) / (double)nr;
    for (size_t i = 0; i < nr; i++)
        squares += pow((logarithm ? log(value[i]) : value[i]) - mean, 2);
    return sqrt(squares / (double)(nr - 1));
}

struct interval interval_of_few(const double *sorted, size_t nr, double student)
{
    double middle = median_of_sorted(sorted, nr);
    bool logarithm = sorted[0] > 0;
    double half = student * deviation(sorted, nr, logarithm) / sqrt((double)nr);

    return (struct interval){
        fmin(sorted[0], logarithm ? middle * exp(-half) : middle - half),
        fmax(sorted[nr - 1], logarithm ? middle * exp(half) : middle + half)};
}

/* ---- Kruskal and Wallis ---- */

struct ranked {
    double value;
    unsigned group;
};

static int by_value(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    return compare_doubles(&x->value, &y->value);
}

struct rank_sums {
    double ranks[interval_groups_max], members[interval_groups_max];
    double ties; /* sum of t^3 - t over runs of t equal values */
};

static struct rank_sums rank_sums(const struct ranked *sorted, size_t nr)
{
    struct rank_sums sums = {0};

    for (size_t from = 0, to; from < nr; from = to) {
        double equal;

        for (to = from; to < nr && !(sorted[to].value > sorted[from].value);)
            to++;
        equal = (double)(to - from);
        sums.ties += equal * equal * equal - equal;
        for (size_t i = from; i < to; i++) {
            sums.ranks[sorted[i].group] += 0.5 * (double)(from + 1 + to);
            sums.members[sorted[i].group]++;
        }
    }
    return sums;
}

bool groups_differ(const double *value, const unsigned *group, size_t nr, size_t group_nr)
{
    /* Median of chi square with group_nr - 1 degrees of freedom. */
    static const double half[interval_groups_max + 1] = {
        [2] = 0.4549, [3] = 1.3863, [4] = 2.3660,
        [5] = 3.3567, [6] = 4.3515, [7] = 5.3481};
    struct ranked *sorted = xcalloc(nr, sizeof(*sorted));
    double n = (double)nr, spread = 0, untied;
    struct rank_sums sums;

    for (size_t i = 0; i < nr; i++)
        sorted[i] = (struct ranked){value[i], group[i]};
    qsort(sorted, nr, sizeof(*sorted), by_value);
    sums = rank_sums(sorted, nr);
    free(sorted);
    untied = 1 - sums.ties / (n * n * n - n);
    if (untied <= 0)
        return false; /* all are equal */
    for (size_t i = 0; i < group_nr; i++)
        spread += sums.ranks[i] * sums.ranks[i] / sums.members[i];
    return (12 * spread / (n * (n + 1)) - 3 * (n + 1)) / untied > half[group_nr];
}
