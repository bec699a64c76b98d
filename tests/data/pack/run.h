/*
 * Runs kernel_0 (untransformed) and the variants kernel_1 ... on equal data and compares
 * all memory bit for bit. The including file defines `variants`, and KIND: 'd', 'f' or
 * 'i'. Arrays have exactly the elements of BATCH matrices. Exit status 1 = some differ.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void kernel_fn(int n, int m, int l, double alpha, void *c, const void *a,
                       const void *b);
struct variant {
    const char *plan;
    kernel_fn *run;
};

enum { BATCH = 2 };

static uint64_t state;

/* 53 random bits, so that another order of a sum shows. */
static double random_double(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) / (double)(1ull << 53);
}

static void *random_matrix(char kind, size_t length)
{
    size_t bytes = kind == 'd' ? sizeof(double) : 4;
    void *all = malloc(length * bytes + !length);
    for (size_t i = 0; i < length; i++)
        if (kind == 'd')
            ((double *)all)[i] = random_double();
        else if (kind == 'f')
            ((float *)all)[i] = (float)random_double();
        else
            ((int *)all)[i] = (int)(random_double() * 1000);
    return all;
}

static void *run(kernel_fn *kernel, char kind, const int *size, size_t *bytes)
{
    size_t n = (size_t)size[0], m = (size_t)size[1], l = (size_t)size[2];
    state = 88172645463325252ull + n;
    void *a = random_matrix(kind, BATCH * n * l), *b = random_matrix(kind, BATCH * l * m),
         *c = random_matrix(kind, BATCH * n * m);
    *bytes = BATCH * n * m * (kind == 'd' ? sizeof(double) : 4);
    kernel(size[0], size[1], size[2], 0.7, c, a, b);
    free(a);
    free(b);
    return c;
}

static int compare(const struct variant *reference, const struct variant *variant,
                   char kind, const int *size)
{
    size_t bytes;
    void *want = run(reference->run, kind, size, &bytes);
    void *got = run(variant->run, kind, size, &bytes);
    int differ = bytes && memcmp(want, got, bytes) != 0;
    if (differ)
        printf("%d x %d x %d: %s\n", size[0], size[1], size[2], variant->plan);
    free(want);
    free(got);
    return differ;
}

static int run_all(const struct variant *variants, size_t nr, char kind)
{
    static const int sizes[][3] = {
        {1, 1, 1},    {2, 3, 5},    {4, 8, 16},   {6, 16, 8},   {5, 17, 9},
        {7, 15, 7},   {12, 32, 16}, {13, 33, 17}, {11, 31, 15}, {24, 8, 1},
        {1, 40, 3},   {25, 1, 33},  {37, 41, 43}, {0, 4, 4},    {4, 0, 4},
        {4, 4, 0},    {48, 64, 32}, {49, 63, 65}};
    int wrong = 0;
    for (size_t i = 1; i < nr; i++)
        for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
            wrong += compare(&variants[0], &variants[i], kind, sizes[k]);
    return wrong != 0;
}
