/*
 * What the kernels of bench/random_kernels.py are called by: the file of one says which
 * calls there are, the rest is kernel_call.c.
 *
 * Without arguments the calls are listed, a line each; else each argument is the number
 * of a call, and a line says what came out of it: a hash of all memory, the globals and
 * what is returned, in which a NaN is a NaN.
 */
#ifndef BENCH_KERNEL_CALL_H
#define BENCH_KERNEL_CALL_H

enum alias { APART, SHIFTED, GLOBAL, TABLE, SCALAR };

struct call {
    const char *kind;        /* first word of what is listed: what it rests on */
    long long first, second; /* of the outer loop's bounds */
    long long m;             /* of the inner one's */
    int contents;            /* 0 mixed, 1 all -0.5 or 1, 2 with NaN, Inf, -0 */
    enum alias alias;
    int shift; /* SHIFTED: elements that `b` starts behind `a`, or in front of it */
};

struct call_type {
    char kind; /* 'f', 'i', 'u', 'b' (_Bool) */
    int bytes;
};

/* One kernel and its variant. */
struct call_kernel {
    const struct call *call;
    int nr;
    struct call_type a, b;
    /* elements of `a` and `b` that are used, by call_extend */
    void (*extents)(const struct call *call, long *a, long *b);
    void (*invoke)(const struct call *call, void *a, void *b); /* notes the result */
    void (*globals_reset)(void);
    void (*globals_note)(void);
    /* the global that `a` is to be; *length: its elements */
    void *(*global_of)(enum alias alias, long *length);
};

int call_main(int argc, char **argv, const struct call_kernel *kernel);
/* Ends the program when an element is not to be had: no call then. */
void call_extend(long *extent, long long element);
void call_note(const void *at, long nr, struct call_type type);

#endif
