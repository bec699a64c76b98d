/* Tracing programs of tests/data/traffic, built with the compilers that are there. */
#ifndef TESTS_CORE_TRAFFIC_TRACED_PROGRAM_H
#define TESTS_CORE_TRAFFIC_TRACED_PROGRAM_H

#include "core/traffic/traffic.h"

struct error;

struct toolchain {
    const char *name, *compiler, *callbacks;
};
extern const struct toolchain traced_gcc, traced_clang, traced_clang_thread,
    traced_no_callbacks;

/* Small caches, so that small kernels do not fit. */
extern const struct traffic_geometry traced_small;

struct traced {
    const char *kernel;
    long n, calls;
    double total, budget, min, limit_s, wall_s, likely;
    const struct traffic_geometry *geometry; /* NULL = small */
    const struct traffic_geometry *other;    /* traced beside */
    size_t other_nr;
    bool arrays; /* a, b and c are announced */
    bool cold, counting;
};

/* 1 = the toolchain is not there, and the test is skipped. */
int traced_try(const struct toolchain *tools, const struct traced *what,
               struct traffic *traffic, struct error *err);
/* False when the toolchain is not there or the trace failed. */
bool traced_well(const struct toolchain *tools, const struct traced *what,
                 struct traffic *traffic);

#endif
