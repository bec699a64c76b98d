/* Intervals of a median, on plain numbers. Private to core/run. */
#ifndef CORE_RUN_RUN_INTERVAL_H
#define CORE_RUN_RUN_INTERVAL_H

#include "core/base.h"

struct interval {
    double low, high;
};

/*
 * Between two order statistics, which holds the median with probability `level` whatever
 * the distribution: the number of values below it is binomial. Interpolated between the
 * two neighbouring ranks (Hettmansperger and Sheather 1986), since the coverage of whole
 * ranks comes in steps. The range where the values are too few for the level: all lie on
 * one side of the median with probability 2 ^ (1 - nr).
 */
struct interval interval_of_ranks(const double *sorted, size_t nr, double level);

/* For at least 2 values that are too few for ranks: median +- student x deviation /
 * sqrt(nr), on logarithms if all values are positive; joined with the range, which is the
 * wider one where the values are not normal. */
struct interval interval_of_few(const double *sorted, size_t nr, double student);

/* Do groups of values differ by more than equals do in half of the cases? Kruskal and
 * Wallis' test on ranks. value[i] belongs to group[i] < group_nr; 2 to
 * interval_groups_max of them, none empty. */
enum { interval_groups_max = 7 };
bool groups_differ(const double *value, const unsigned *group, size_t nr,
                   size_t group_nr);

#endif
