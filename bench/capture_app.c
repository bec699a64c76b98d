/*
 * The application of bench/capture: 1 GiB of arrays, other work between the calls of its
 * kernel, which it times by itself.
 *
 *     capture_app CALLS PAGES CPU        prints a line `call SECONDS` for each call
 *
 * Built with -DTRACED and the cache model it counts its kernel's traffic instead, with
 * the arguments of a tracing program (docs/design.md, "Harness protocol").
 */
#define _GNU_SOURCE /* sched_setaffinity, MADV_HUGEPAGE */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "bench/capture_kernel.h"

#ifdef TRACED
/* core/traffic/tracer/tracer.h, which is private there */
int tracer_configure(const char *geometry, double total, double budget, const char *out);
int tracer_calls(void);
void tracer_start(void);
void tracer_stop(void);
#endif

/* 4 + 8 + 8 + 4 + 8 bytes an element: 1 GiB. */
enum { elements = 1 << 25 };

struct data {
    int *index;
    double *table, *z, *y;
    float *w;
};

static void *take(size_t bytes, int huge)
{
    void *memory = malloc(bytes);

    if (!memory) {
        fprintf(stderr, "capture_app: not enough memory\n");
        exit(1);
    }
    if (huge) {
        uintptr_t page = 2u << 20, from = ((uintptr_t)memory + page - 1) / page * page;
        madvise((void *)from, ((uintptr_t)memory + bytes - from) / page * page,
                MADV_HUGEPAGE);
    }
    return memory;
}

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static struct data make(int huge)
{
    uint64_t state = 88172645463325252u;
    struct data data = {
        take(elements * sizeof(int), huge), take(elements * sizeof(double), huge),
        take(elements * sizeof(double), huge), take(elements * sizeof(double), huge),
        take(elements * sizeof(float), huge)};

    for (long i = 0; i < elements; i++) {
        data.index[i] = (int)(next(&state) % elements);
        data.table[i] = 1 + 1e-9 * (double)i;
        data.z[i] = 0.5;
        data.w[i] = 0.25f;
        data.y[i] = 0;
    }
    return data;
}

static void call(const struct data *data, double alpha)
{
    mixed(elements, alpha, data->index, data->table, data->z, data->w, data->y);
}

#ifdef TRACED
static const char *word(int argc, char **argv, const char *name)
{
    for (int i = 1; i + 1 < argc; i++)
        if (!strcmp(argv[i], name))
            return argv[i + 1];
    return "0";
}

int main(int argc, char **argv)
{
    if (tracer_configure(word(argc, argv, "--geometry"),
                         atof(word(argc, argv, "--total")),
                         atof(word(argc, argv, "--budget")), word(argc, argv, "--out")))
        return 2;
    struct data data = make(0);
    for (int calls = tracer_calls(); calls > 0; calls--) {
        tracer_start();
        call(&data, 0.5);
        tracer_stop();
    }
    return 0;
}
#else
static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* What an application does besides: part of the caches holds something else then. */
static double other_work(const struct data *data)
{
    double sum = 0;

    for (long i = 0; i < elements; i += 64)
        sum += data->y[i];
    return sum;
}

int main(int argc, char **argv)
{
    int calls = argc > 1 ? atoi(argv[1]) : 5;
    int huge = argc > 2 && !strcmp(argv[2], "huge");
    double sum = 0;

    if (argc > 3) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(atoi(argv[3]), &set);
        sched_setaffinity(0, sizeof(set), &set);
    }
    struct data data = make(huge);
    for (int i = 0; i < calls; i++) {
        sum += other_work(&data);
        double start = now();
        call(&data, 0.5);
        printf("call %.9f\n", now() - start);
    }
    fprintf(stderr, "sum %g\n", sum);
    return 0;
}
#endif
