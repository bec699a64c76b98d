/*
 * Calls one kernel of access_classes.c: --kernel NAME --n N --m M --calls C. With
 * -DTRACED also what the tracer takes: --geometry --total --budget --out.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bench/kernels/access_classes.h"
#ifdef TRACED
#include "core/traffic/tracer/tracer.h"
#endif

typedef void kernel(long n, long m, double *restrict a, double *restrict b,
                    double *restrict c, const long *restrict x);

static const char *option(char **argv, const char *name)
{
    for (; argv[0] && argv[1]; argv++)
        if (strcmp(argv[0], name) == 0)
            return argv[1];
    return "0";
}

static void *array(size_t bytes)
{
    size_t huge = 2 << 20;
    char *memory = mmap(NULL, bytes + 2 * huge, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        abort();
    return memory + huge - (size_t)memory % huge;
}

/* One cycle through all, shuffled (Sattolo): indices, and a chase. */
static long *shuffled(long nr)
{
    long *x = array((size_t)nr * sizeof(*x));
    uint64_t random = 88172645463325252u;

    for (long i = 0; i < nr; i++)
        x[i] = i;
    for (long i = nr - 1; i > 0; i--) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        long other = (long)(random % (uint64_t)i), kept = x[i];

        x[i] = x[other];
        x[other] = kept;
    }
    return x;
}

static void start(void)
{
#ifdef TRACED
    tracer_start();
#endif
}

static void stop(void)
{
#ifdef TRACED
    tracer_stop();
#endif
}

int main(int argc, char **argv)
{
    long n = atol(option(argv, "--n")), m = atol(option(argv, "--m"));
    long doubles = 0, indices = 0;
    kernel *call = NULL;

    (void)argc;
#ifdef TRACED
    if (tracer_configure(option(argv, "--geometry"), atof(option(argv, "--total")),
                         atof(option(argv, "--budget")), option(argv, "--out")))
        return 2;
#endif
#define X(name, d, i)                                                                    \
    if (strcmp(#name, option(argv, "--kernel")) == 0) {                                  \
        call = name;                                                                     \
        doubles = (d);                                                                   \
        indices = (i);                                                                   \
    }
    TRACING_KERNELS(X)
#undef X
    if (!call)
        return 2;
    double *a = array((size_t)doubles * 8), *b = array((size_t)doubles * 8),
           *c = array((size_t)doubles * 8);
    long *x = shuffled(indices);

    for (long calls = atol(option(argv, "--calls")); calls > 0; calls--) {
        start();
        call(n, m, a, b, c, x);
        stop();
    }
    return 0;
}
