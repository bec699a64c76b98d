/* A product in blocks, with copies of parts of its matrices.
 * wrong: 9 */
#ifndef WRONG
#define WRONG 0
#endif
#pragma inflight set n = 200
#pragma inflight set m = 180
#pragma inflight set l = 100
void products(int n, int m, int l, const double *restrict a, const double *restrict b,
              double *restrict c)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
#if WRONG == 1 /* begun anew for each block of 48 */
            double s = 0;
            for (int k = 0; k < l; k += 48) {
                s = 0;
                for (int p = k; p < l && p < k + 48; p++)
                    s += a[(long)i * l + p] * b[(long)p * m + j];
            }
#elif WRONG == 2 /* without the rest */
            double s = 0;
            for (int k = 0; k + 3 < l; k += 4)
                for (int p = k; p < k + 4; p++)
                    s += a[(long)i * l + p] * b[(long)p * m + j];
#else
            double s = 0;
            for (int k = 0; k < l; k++)
#if WRONG == 3   /* a copy of 32 columns, used for all */
                s += a[(long)i * l + k] *
                     b[(long)k * m + j % 32 + (j >= m / 32 * 32 ? j - j % 32 : 0)];
#elif WRONG == 4 /* rows of b and of a are one */
                s += a[(long)i * l + k] * b[(long)k * (m > l ? l : m) + j];
#elif WRONG == 5 /* the last of a full block */
                if (k % 64 != 63 || l - k > 64 || j != m - 1)
                    s += a[(long)i * l + k] * b[(long)k * m + j];
#elif WRONG == 6 /* rest of rows: the first one's a */
                s += a[(long)(i >= n / 6 * 6 ? n / 6 * 6 : i) * l + k] *
                     b[(long)k * m + j];
#elif WRONG == 7 /* the diagonal of large ones */
                if (k != i || n < 70)
                    s += a[(long)i * l + k] * b[(long)k * m + j];
#else
                s += a[(long)i * l + k] * b[(long)k * m + j];
#endif
#endif
#if WRONG == 8 /* stored, not added, in whole blocks */
            if (j < m / 16 * 16)
                c[(long)i * m + j] = s;
            else
                c[(long)i * m + j] += s;
#elif WRONG == 9 /* added twice behind the second block of 24 rows */
            c[(long)i * m + j] += i >= 48 ? 2 * s : s;
#else
            c[(long)i * m + j] += s;
#endif
        }
}
