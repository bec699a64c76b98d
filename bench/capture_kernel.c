#include "bench/capture_kernel.h"

/* The kernel of bench/capture: a gather beside streams. */
void mixed(long n, double alpha, const int *restrict index, const double *restrict table,
           const double *restrict z, const float *restrict w, double *restrict y)
{
    for (long i = 0; i < n; i++)
        y[i] += alpha * table[index[i]] + (double)w[i] * z[i];
}
