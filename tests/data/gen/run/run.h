/*
 * Runs kernel_0 (untransformed) and the variants kernel_1 ... on equal data and compares
 * all memory bit for bit. The including file defines `variants`. Exit status 1 = some
 * differ.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void kernel_fn(int n, double *a, double *b, double *c, double *x, double *y,
                       int *p);
struct variant {
    const char *plan;
    kernel_fn *run;
};

static uint64_t state;

/* 53 random bits, so that another order of a sum shows. */
static double random_double(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) / (double)(1ull << 53);
}

/* Three matrices and two vectors; in `joined` form x and y overlap by all but one
 * element. */
static double *run(kernel_fn *kernel, int n, int joined, size_t *length)
{
    size_t nn = (size_t)n * (size_t)n, un = (size_t)n;
    *length = 3 * nn + 2 * un + 1;
    double *all = malloc(*length * sizeof(double));
    int *p = malloc(un * sizeof(int));
    state = 88172645463325252ull + un;
    for (size_t i = 0; i < *length; i++)
        all[i] = random_double();
    for (size_t i = 0; i < un; i++)
        p[i] = (int)(random_double() * n);
    double *x = all + 3 * nn;
    kernel(n, all, all + nn, all + 2 * nn, x, joined ? x + 1 : x + n, p);
    free(p);
    return all;
}

static int compare(const struct variant *reference, const struct variant *variant, int n,
                   int joined)
{
    size_t length;
    double *want = run(reference->run, n, joined, &length);
    double *got = run(variant->run, n, joined, &length);
    int differ = memcmp(want, got, length * sizeof(double)) != 0;
    if (differ)
        printf("n = %d%s: %s\n", n, joined ? ", overlapping" : "", variant->plan);
    free(want);
    free(got);
    return differ;
}

static int run_all(const struct variant *variants, size_t nr, int joined)
{
    static const int sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17};
    int wrong = 0;
    for (size_t i = 1; i < nr; i++)
        for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
            wrong += compare(&variants[0], &variants[i], sizes[k], 0);
            if (joined)
                wrong += compare(&variants[0], &variants[i], sizes[k], 1);
        }
    return wrong != 0;
}
