/* Blocks and what is left over, in two dimensions.
 * wrong: 12 */
#ifndef WRONG
#define WRONG 0
#endif
#pragma inflight set n = 1000
#pragma inflight set m = 1000
static int least(int a, int b)
{
    return a < b ? a : b;
}
void tails(int n, int m, const double *restrict a, double *restrict b)
{
#if WRONG == 1 /* no rest of rows */
    for (int i = 0; i + 15 < n; i += 16)
        for (int k = i; k < i + 16; k++)
            for (int j = 0; j < m; j++)
                b[(long)k * m + j] += a[(long)j * n + k];
#elif WRONG == 2  /* no rest of columns, where rows have one */
    for (int i = 0; i < n; i += 16)
        for (int j = 0; j < (n - i < 16 ? m / 32 * 32 : m); j++)
            for (int k = i; k < least(i + 16, n); k++)
                b[(long)k * m + j] += a[(long)j * n + k];
#elif WRONG == 3  /* the corner twice */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            b[(long)i * m + j] +=
                (i >= n / 24 * 24 && j >= m / 40 * 40 ? 2 : 1) * a[(long)j * n + i];
#elif WRONG == 4  /* the last row of a whole block */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            if (i % 8 != 7 || j < m - 1)
                b[(long)i * m + j] += a[(long)j * n + i];
#elif WRONG == 5  /* where there are more rows than columns */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            if (n <= m || i + j != n - 1)
                b[(long)i * m + j] += a[(long)j * n + i];
#elif WRONG == 6  /* where there are fewer */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < least(m, n + 64); j++)
            b[(long)i * m + j] += a[(long)j * n + i];
#elif WRONG == 7  /* rest of 1 */
    for (int i = 0; i < n - (n % 64 == 1); i++)
        for (int j = 0; j < m; j++)
            b[(long)i * m + j] += a[(long)j * n + i];
#elif WRONG == 8  /* rest of one less than a block */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m - (m % 32 == 31); j++)
            b[(long)i * m + j] += a[(long)j * n + i];
#elif WRONG == 9  /* blocks of blocks: 4 of 32 */
    for (int k = 0; k < n; k += 128)
        for (int i = k; i < least(k + 128, n); i += 32)
            for (int l = i; l < (n - k < 128 ? least(i + 32, n) : least(i + 31, n)); l++)
                for (int j = 0; j < m; j++)
                    b[(long)l * m + j] += a[(long)j * n + l];
#elif WRONG == 10 /* the second block of 64 columns */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            if (j / 64 != 1 || i > 2)
                b[(long)i * m + j] += a[(long)j * n + i];
#elif WRONG == 11 /* multiples of 8 by 16 only */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            if (n % 8 || m % 16 || i < n - 1)
                b[(long)i * m + j] += a[(long)j * n + i];
#elif WRONG == 12 /* both are odd */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            if (n % 2 == 0 || m % 2 == 0 || i || j)
                b[(long)i * m + j] += a[(long)j * n + i];
#else
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            b[(long)i * m + j] += a[(long)j * n + i];
#endif
}
