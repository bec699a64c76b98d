/* Monotone piecewise cubic interpolation: no overshoot between the knots. Slopes after F.
 * N. Fritsch and J. Butland, "A method for constructing local monotone piecewise cubic
 * interpolants", SIAM J. Sci. Stat. Comput. 5 (1984). */
#ifndef BENCH_PCHIP_H
#define BENCH_PCHIP_H

#include <stddef.h>

/* slope[i] at the knots (x[i], y[i]); x ascending, nr >= 1. */
void pchip_slopes(const double *x, const double *y, size_t nr, double *slope);

/* The curve at `at`; outside of the knots the value of the nearest one. */
double pchip_at(const double *x, const double *y, const double *slope, size_t nr,
                double at);

#endif
