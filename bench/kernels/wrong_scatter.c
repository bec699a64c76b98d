/* Places that are named twice, near each other and far.
 * wrong: 8 */
#ifndef WRONG
#define WRONG 0
#endif
#pragma inflight set n = 100000
#pragma inflight set m = 5000
#pragma inflight buffer key = index(m)
void scatter(int n, int m, const int *restrict key, const double *restrict a,
             double *restrict sum, double *restrict last)
{
#if WRONG == 1 /* lanes of 8 that do not see each other */
    int i = 0;
    for (; i + 7 < n; i += 8) {
        double t[8];
        for (int k = 0; k < 8; k++)
            t[k] = sum[key[i + k]] + a[i + k];
        for (int k = 0; k < 8; k++)
            sum[key[i + k]] = t[k];
    }
    for (; i < n; i++)
        sum[key[i]] += a[i];
#elif WRONG == 2 /* pairs */
    int i = 0;
    for (; i + 1 < n; i += 2) {
        double x = sum[key[i]] + a[i], y = sum[key[i + 1]] + a[i + 1];
        sum[key[i]] = x;
        sum[key[i + 1]] = y;
    }
    for (; i < n; i++)
        sum[key[i]] += a[i];
#elif WRONG == 3 /* neighbours only once */
    for (int i = 0; i < n; i++)
        if (i == 0 || key[i] != key[i - 1])
            sum[key[i]] += a[i];
#elif WRONG == 4 /* not the last place */
    for (int i = 0; i < n; i++)
        if (key[i] != m - 1)
            sum[key[i]] += a[i];
#elif WRONG == 5 /* not the first one */
    for (int i = 0; i < n; i++)
        if (key[i])
            sum[key[i]] += a[i];
#elif WRONG == 6 /* many places go elsewhere */
    for (int i = 0; i < n; i++)
        sum[key[i] & 1023] += a[i];
#else
    for (int i = 0; i < n; i++)
        sum[key[i]] += a[i];
#endif
#if WRONG == 7 /* the first one stays */
    for (int i = n - 1; i >= 0; i--)
        last[key[i]] = a[i];
#elif WRONG == 8 /* in two halves, the second one first */
    for (int i = n / 2; i < n; i++)
        last[key[i]] = a[i];
    for (int i = 0; i < n / 2; i++)
        last[key[i]] = a[i];
#else
    for (int i = 0; i < n; i++)
        last[key[i]] = a[i];
#endif
}
