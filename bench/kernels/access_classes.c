/*
 * Kernels of different access classes and long ones (bench/tracing.c), compiled twice: as
 * they are for cachegrind, and with callbacks for the tracer. `n` is the size, `m` the
 * repetitions or a second size; x is read as random indices below n where they are
 * needed.
 */
#include "bench/kernels/access_classes.h"

void stream(long n, long m, double *restrict a, double *restrict b, double *restrict c,
            const long *restrict x)
{
    for (long t = 0; t < m; t++)
        for (long i = 0; i < n; i++)
            a[i] = b[i] + 3.0 * c[i];
}

void strided(long n, long m, double *restrict a, double *restrict b, double *restrict c,
             const long *restrict x)
{
    for (long t = 0; t < m; t++)
        for (long i = t; i < n; i += 24)
            a[i] = 2.0 * b[i];
}

void gather(long n, long m, double *restrict a, double *restrict b, double *restrict c,
            const long *restrict x)
{
    for (long i = 0; i < n; i++)
        a[i] = b[x[i]];
}

void scatter(long n, long m, double *restrict a, double *restrict b, double *restrict c,
             const long *restrict x)
{
    for (long i = 0; i < n; i++)
        a[x[i]] = b[i];
}

void chase(long n, long m, double *restrict a, double *restrict b, double *restrict c,
           const long *restrict x)
{
    long at = 0;

    for (long i = 0; i < n; i++)
        at = x[at];
    a[0] = (double)at;
}

void histogram(long n, long m, double *restrict a, double *restrict b, double *restrict c,
               const long *restrict x)
{
    for (long i = 0; i < n; i++)
        a[x[i] % m] += 1.0;
}

/* n x n x m, seven points. */
static void sweep(long n, long m, double *restrict to, const double *restrict from)
{
    for (long k = 1; k < m - 1; k++)
        for (long j = 1; j < n - 1; j++)
            for (long i = 1; i < n - 1; i++) {
                long at = (k * n + j) * n + i;

                to[at] = 0.5 * from[at] + from[at - 1] + from[at + 1] + from[at - n] +
                         from[at + n] + from[at - n * n] + from[at + n * n];
            }
}

void stencil(long n, long m, double *restrict a, double *restrict b, double *restrict c,
             const long *restrict x)
{
    sweep(n, m, a, b);
}

/* m sweeps over n x n x n, forth and back. */
void sweeps(long n, long m, double *restrict a, double *restrict b, double *restrict c,
            const long *restrict x)
{
    for (long t = 0; t < m; t += 2) {
        sweep(n, n, a, b);
        sweep(n, n, b, a);
    }
}

void product(long n, long m, double *restrict a, double *restrict b, double *restrict c,
             const long *restrict x)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            double sum = 0;

            for (long k = 0; k < n; k++)
                sum += b[i * n + k] * c[k * n + j];
            a[i * n + j] = sum;
        }
}

/* Blocks of m. */
void blocked(long n, long m, double *restrict a, double *restrict b, double *restrict c,
             const long *restrict x)
{
    for (long kk = 0; kk < n; kk += m)
        for (long jj = 0; jj < n; jj += m)
            for (long i = 0; i < n; i++)
                for (long k = kk; k < kk + m && k < n; k++)
                    for (long j = jj; j < jj + m && j < n; j++)
                        a[i * n + j] += b[i * n + k] * c[k * n + j];
}

void transpose(long n, long m, double *restrict a, double *restrict b, double *restrict c,
               const long *restrict x)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            a[j * n + i] = b[i * n + j];
}

/* Streams, then the same loop m times as often on what fits into a cache: 64 Ki elements.
 */
void phases(long n, long m, double *restrict a, double *restrict b, double *restrict c,
            const long *restrict x)
{
    stream(n, m, a, b, c, x);
    stream(65536, n / 65536 * m, a, b, c, x);
}
