/* What kernel_random.c draws, for kernel_table.c, which writes the calls. */
#ifndef BENCH_KERNEL_SHAPE_H
#define BENCH_KERNEL_SHAPE_H

#include "bench/kernel_random.h"

struct number {
    const char *name;
    char kind; /* 'i', 'u', 'f', 'b' (_Bool) */
    int bits;
    const char *start; /* of a sum */
};

/* Bounds of the outer loop, whose parameters are `first` and `second`. */
enum bounds {
    BOUNDS_COUNT, /* 0 to first */
    BOUNDS_RANGE, /* first to second */
    BOUNDS_UP_TO, /* first to second, which belongs to it */
    BOUNDS_DOWN,  /* first - 1 to 0 */
    BOUNDS_STEPS, /* 0 to first by 3 */
    BOUNDS_PLUS,  /* 0 to first + second, unsigned */
    BOUNDS_MINUS, /* 0 to first - second, unsigned */
    BOUNDS_TIMES, /* 0 to first * 0x80000001, unsigned */
    BOUNDS_NR
};

struct kernel_shape {
    uint64_t state;
    enum kernel_class kernel_class;
    const struct number *a, *b, *sum, *i, *j; /* sum, j: or NULL */
    enum bounds bounds;
    const char *base, *ia, *ib; /* what the outer counter is from 0 on; subscripts */
    bool restricted, global, table, pointer; /* a scalar that the nest reads */
    bool is_triangle;
    const char *function; /* its name, or NULL */
    bool function_behind; /* defined behind the kernel */
    const char *macro[6][2];
    size_t macro_nr;
    const char *clause, *last; /* last: what the clause's statement writes, or NULL */
    bool last_behind;
};

size_t shape_below(struct kernel_shape *shape, size_t limit);
/* The head of the outer loop. */
void shape_outer(const struct kernel_shape *shape, struct buf *out);
void shape_inner(const struct kernel_shape *shape, struct buf *out);
/* The smallest and the largest number of a type of integers. */
void number_range(const struct number *number, long long *least, long long *most);

/* kernel_table.c: all that stands behind the kernel. */
void shape_calls(struct kernel_shape *shape, struct buf *out);

#endif
