/* What the kernels of bench/kernels/access_classes.c have in common with
 * access_classes_main.c. */
#ifndef BENCH_KERNELS_ACCESS_CLASSES_H
#define BENCH_KERNELS_ACCESS_CLASSES_H

/* name, bytes of each double array and elements of x, as functions of n and m */
#define TRACING_KERNELS(X)                                                               \
    X(stream, n, 1)                                                                      \
    X(strided, n, 1)                                                                     \
    X(gather, n, n)                                                                      \
    X(scatter, n, n)                                                                     \
    X(chase, 1, n)                                                                       \
    X(histogram, m, n)                                                                   \
    X(stencil, n *n *m, 1)                                                               \
    X(sweeps, n *n *n, 1)                                                                \
    X(product, n *n, 1)                                                                  \
    X(blocked, n *n, 1)                                                                  \
    X(transpose, n *n, 1)                                                                \
    X(phases, n, 1)

#define X(name, doubles, indices)                                                        \
    void name(long n, long m, double *restrict a, double *restrict b,                    \
              double *restrict c, const long *restrict x);
TRACING_KERNELS(X)
#undef X

#endif
