/* Kernels whose traffic is known; compiled with the load and store callbacks. */
#include <stddef.h>

#include "core/traffic/tracer/tracer.h"

void triad(double *restrict a, const double *b, const double *c, size_t n);
void copy(double *restrict a, const double *b, const double *c, size_t n);
void nontemporal(double *restrict a, const double *b, const double *c, size_t n);
void block_copy(double *restrict a, const double *b, const double *c, size_t n);
void prefetched(double *restrict a, const double *b, const double *c, size_t n);
void multiply(double *restrict a, const double *b, const double *c, size_t n);
void bytes(double *restrict a, const double *b, const double *c, size_t n);
void sweeps(double *restrict a, const double *b, const double *c, size_t n);
void crash(double *restrict a, const double *b, const double *c, size_t n);
void hang(double *restrict a, const double *b, const double *c, size_t n);
void scatter(double *restrict a, const double *b, const double *c, size_t n);

void triad(double *restrict a, const double *b, const double *c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        a[i] = b[i] + 3 * c[i];
}

void copy(double *restrict a, const double *b, const double *c, size_t n)
{
    (void)c;
    for (size_t i = 0; i < n; i++)
        a[i] = 2 * b[i];
}

/* The store that follows the announcement is not seen. */
void nontemporal(double *restrict a, const double *b, const double *c, size_t n)
{
    (void)c;
    for (size_t i = 0; i < n; i++) {
        tracer_nontemporal_store(&a[i], sizeof(a[i]));
        a[i] = 2 * b[i];
    }
}

void block_copy(double *restrict a, const double *b, const double *c, size_t n)
{
    (void)c;
    tracer_copy(a, b, n * sizeof(*a));
}

void prefetched(double *restrict a, const double *b, const double *c, size_t n)
{
    (void)c;
    for (size_t i = 0; i < n; i++) {
        tracer_prefetch(&b[i + 64], 0, 3);
        tracer_prefetch(&a[i + 64], 1, 2);
        a[i] = 2 * b[i];
    }
}

/* The same arrays again and again. */
void sweeps(double *restrict a, const double *b, const double *c, size_t n)
{
    for (int t = 0; t < 64; t++)
        copy(a, b, c, n);
}

/* a += b c of n x n. */
void multiply(double *restrict a, const double *b, const double *c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            for (size_t j = 0; j < n; j++)
                a[i * n + j] += b[i * n + k] * c[k * n + j];
}

/* Accesses of one byte, and of eight at odd addresses. */
void bytes(double *restrict a, const double *b, const double *c, size_t n)
{
    struct __attribute__((packed)) odd {
        char skip;
        double value;
    } *odd = (struct odd *)a;

    (void)c;
    for (size_t i = 0; i < n; i++)
        odd[i / 2].value = ((const char *)b)[i];
}

void crash(double *restrict a, const double *b, const double *c, size_t n)
{
    (void)b;
    (void)c;
    (void)n;
    *(volatile double *)(a - ((size_t)a / sizeof(*a))) = 1;
}

void hang(double *restrict a, const double *b, const double *c, size_t n)
{
    (void)b;
    (void)c;
    for (;;)
        ((volatile double *)a)[n / 2] = 1;
}

static inline double twice(double x, const double *from)
{
    return 2 * x + *from; /* LINE c */
}

/* a is written at random; b and c are read in order, c within an inlined function. */
void scatter(double *restrict a, const double *b, const double *c, size_t n)
{
    unsigned long state = 1;

    for (size_t i = 0; i < n; i++) {
        double sum = twice(b[i], &c[i]); /* LINE b */

        state = state * 6364136223846793005u + 1442695040888963407u;
        a[(state >> 33) % n] = sum; /* LINE a */
    }
}
