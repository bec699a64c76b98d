/* A tracing program as variants/ makes them, with its own kernels: --kernel NAME --n N
 * [--calls 1]. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/traffic/tracer/tracer.h"

typedef void kernel(double *restrict a, const double *b, const double *c, size_t n);

extern kernel triad, copy, nontemporal, block_copy, prefetched, multiply, bytes, sweeps,
    crash, hang, scatter;

static const struct {
    const char *name;
    kernel *call;
} kernels[] = {
    {"triad", triad},
    {"copy", copy},
    {"nontemporal", nontemporal},
    {"block_copy", block_copy},
    {"multiply", multiply},
    {"prefetched", prefetched},
    {"bytes", bytes},
    {"sweeps", sweeps},
    {"crash", crash},
    {"hang", hang},
    {"scatter", scatter},
};

static const char *option(char **argv, const char *name)
{
    for (; argv[0] && argv[1]; argv++)
        if (strcmp(argv[0], name) == 0)
            return argv[1];
    return "0";
}

static double *array(size_t n)
{
    size_t huge = 2 << 20;
    char *memory = mmap(NULL, n * sizeof(double) + 2 * huge, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return (double *)(void *)(memory + huge - (size_t)memory % huge);
}

int main(int argc, char **argv)
{
    size_t n = strtoull(option(argv, "--n"), NULL, 10);
    size_t elements = strcmp(option(argv, "--kernel"), "multiply") ? n : n * n;
    double *a = array(elements), *b = array(elements), *c = array(elements);
    int calls = atoi(option(argv, "--calls"));
    kernel *call = NULL;

    (void)argc;
    if (tracer_configure(option(argv, "--geometry"), atof(option(argv, "--total")),
                         atof(option(argv, "--budget")), option(argv, "--out")))
        return 2;
    if (strcmp(option(argv, "--arrays"), "0")) {
        tracer_array("a", a, elements * sizeof(*a));
        tracer_array("b", b, elements * sizeof(*b));
        tracer_array("c", c, elements * sizeof(*c));
    }
    for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++)
        if (strcmp(kernels[i].name, option(argv, "--kernel")) == 0)
            call = kernels[i].call;
    if (!call)
        return 2;
    for (calls = calls ? calls : tracer_calls(); calls > 0; calls--) {
        tracer_start();
        call(a, b, c, n);
        tracer_stop();
    }
    return 0;
}
