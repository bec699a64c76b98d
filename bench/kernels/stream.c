/*
 * Loops as anybody writes them, for bench/rates: reads and STREAM triads of arrays of its
 * own on each thread, again and again. Arguments: read or triad, bytes per thread,
 * seconds. Prints GB/s of the program's own bytes, all threads together, mean over the
 * time.
 */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t sum_of(const uint64_t *a, size_t nr)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < nr; i++)
        sum += a[i];
    return sum;
}

static void triad(double *restrict to, const double *restrict a, const double *restrict b,
                  size_t nr)
{
    for (size_t i = 0; i < nr; i++)
        to[i] = a[i] + 3.0 * b[i];
}

static volatile uint64_t sink;

static void passes(int triads, double *array, size_t bytes, size_t nr)
{
    size_t third = bytes / sizeof(double) / 3;

    for (size_t pass = 0; pass < nr; pass++) {
        if (triads)
            triad(array, array + third, array + 2 * third, third);
        else
            sink +=
                sum_of((const uint64_t *)(const void *)array, bytes / sizeof(uint64_t));
        __asm__ volatile("" ::: "memory"); /* each pass is made */
    }
}

/* Seconds for that many passes on all threads, from the first start to the last end. */
static double took(int triads, double **array, size_t bytes, size_t nr)
{
    double start = 0;

#pragma omp parallel
    {
#pragma omp barrier
#pragma omp master
        start = omp_get_wtime();
        passes(triads, array[omp_get_thread_num()], bytes, nr);
    }
    return omp_get_wtime() - start;
}

int main(int argc, char **argv)
{
    size_t threads = (size_t)omp_get_max_threads(), bytes, nr = 1;
    double **array = calloc(threads, sizeof(*array)), seconds, last_s;
    int triads;

    if (argc != 4 || !array)
        return 2;
    triads = strcmp(argv[1], "triad") == 0;
    bytes = strtoull(argv[2], NULL, 0) / 192 * 192;
    seconds = strtod(argv[3], NULL);
#pragma omp parallel
    {
        double *own = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);

        if (!own)
            abort();
        for (size_t i = 0; i < bytes / sizeof(double); i++)
            own[i] = 1.5; /* touched by the thread that uses it */
        array[omp_get_thread_num()] = own;
    }
    while ((last_s = took(triads, array, bytes, nr)) < seconds)
        nr = last_s < seconds / 16 ? 8 * nr : (size_t)(1.2 * seconds / last_s * nr) + 1;
    printf("%.3f\n", 1e-9 * (double)(bytes * threads * nr) / last_s);
    return 0;
}
