/* Order statistics and Student's t, on plain numbers. */
#ifndef CORE_BASE_STATISTICS_H
#define CORE_BASE_STATISTICS_H

#include <stddef.h>

/* For qsort, ascending. */
int compare_doubles(const void *a, const void *b);
void sort_doubles(double *value, size_t nr);
double *sorted_copy(const double *value, size_t nr); /* caller frees */

/* The middle one, or the mean of the two in the middle; NaN of none. */
double median_of_sorted(const double *value, size_t nr);
double median_sorting(double *value, size_t nr); /* sorts its argument */
double median_of(const double *value, size_t nr);

/* The factor of a mean's standard error for its 95 % interval, both sides: Student's t.
 * From the table up to 30 degrees of freedom, beyond within 0.001 by the first terms of
 * its expansion in 1/n: z + (z^3 + z)/4n + (5 z^5 + 16 z^3 + 3 z)/96n^2 (Abramowitz and
 * Stegun, 26.7.5). Infinite for none. */
double student_95(size_t degrees);

#endif
