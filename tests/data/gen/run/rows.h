/*
 * Behind the text of `tested`, made of rows_apart.c: calls it with rows that lie in many
 * ways, and compares its memory with that of the loop as written, and what its test says
 * with all pairs of rows. Exit status 1 = they differ.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 40, LENGTH = 24, ELEMENTS = 5 * ROWS * LENGTH };

static double memory[2][ELEMENTS];
static double *row[3][ROWS]; /* a, b, c */
static uint64_t state = 88172645463325252ull;

static int below(int limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int)(state % (uint64_t)limit);
}

static void original(int n, int m, double **a, double **b, double **c, double *w)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] += b[i][j] * c[j][0] + w[j];
}

static void swap_rows(double **one, double **other)
{
    double *kept = *one;
    *one = *other;
    *other = kept;
}

enum lay {
    IN_BLOCKS,
    INTERLEAVED,
    REVERSED,
    MIXED,
    MIXED_APART,
    SHARED,
    EQUAL,
    FOLDED,
    LAYS
};

/* Rows of LENGTH elements, but where the layout says otherwise. */
static void lay_rows(enum lay lay, double *at)
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < ROWS; i++)
            row[k][i] =
                at + LENGTH * (1 + (lay == IN_BLOCKS || lay == MIXED_APART ? ROWS * k + i
                                                                           : 3 * i + k));
    for (int k = 0; k < 3 && lay == REVERSED; k++)
        for (int i = 0; i < ROWS / 2; i++)
            swap_rows(&row[k][i], &row[k][ROWS - 1 - i]);
    for (int i = 0; i < 3 * ROWS && (lay == MIXED || lay == MIXED_APART); i++) {
        int k = i / ROWS, one = below(8), other = below(8);
        swap_rows(&row[k][one], &row[k][other]);
    }
    if (lay == SHARED)
        row[0][below(4)] = row[1 + below(2)][below(4)] + below(3);
    if (lay == EQUAL)
        row[0][below(4)] = row[0][below(4)];
    if (lay == FOLDED)
        row[0][below(4)] += below(2 * LENGTH) - LENGTH;
}

static int share(const double *a, int length, const double *b, int other)
{
    return a < b + other && b < a + length;
}

/* What the test should say: b is read like a, and of c one element of m rows. */
static int apart(int n, int m, const double *w)
{
    int found = 0;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            found |= share(row[0][i], m, row[0][k], m);
        for (int k = 0; k < n; k++)
            found |= share(row[0][i], m, row[1][k], m);
        for (int k = 0; k < m; k++)
            found |= share(row[0][i], m, row[2][k], 1);
        found |= share(row[0][i], m, w, m);
    }
    return !found;
}

static int tested_apart(int n, int m, double *w)
{
    return kernel_apart(kernel_with(
        kernel_with(kernel_with(kernel_rows(row[0], 2, 1, 0, n - 1, 0, 0, 0, m - 1, 8),
                                kernel_rows(row[1], 2, 0, 0, n - 1, 0, 0, 0, m - 1, 8)),
                    kernel_rows(row[2], 2, 0, 0, m - 1, 0, 0, 0, 0, 8)),
        kernel_span(w, w + m - 1, 8)));
}

static double *fill(int which)
{
    for (int i = 0; i < ELEMENTS; i++)
        memory[which][i] = i * 7 % 13 - 5;
    return memory[which];
}

int main(void)
{
    for (int call = 0; call < 2000; call++) {
        uint64_t begin = state;
        enum lay lay = (enum lay)(call % LAYS);
        int n = 1 + call / LAYS % 8, m = 1 + call % 8, w_at = 4 * ROWS * LENGTH;
        if (call % 3 == 0) /* w between the rows, where they may be */
            w_at = LENGTH * (call % 5) + m;
        double *all = fill(0);
        lay_rows(lay, all);
        original(n, m, row[0], row[1], row[2], all + w_at);
        state = begin;
        all = fill(1);
        lay_rows(lay, all);
        int says = tested_apart(n, m, all + w_at), is = apart(n, m, all + w_at);
        tested(n, m, row[0], row[1], row[2], all + w_at);
        if (says == is && !memcmp(memory[0], memory[1], sizeof(memory[0])))
            continue;
        printf("call %d, layout %d: it says %d, should say %d%s\n", call, (int)lay, says,
               is, says == is ? ", and the results differ" : "");
        return 1;
    }
    return 0;
}
