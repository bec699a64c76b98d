/* The kernel of bench/capture, in an application of its own. */
#ifndef BENCH_CAPTURE_KERNEL_H
#define BENCH_CAPTURE_KERNEL_H

void mixed(long n, double alpha, const int *restrict index, const double *restrict table,
           const double *restrict z, const float *restrict w, double *restrict y);

#endif
