/* A local table that is walked as a row, a bound that is set in a loop's head, and
 * elements that are kept in registers beside stores.
 * wrong: 8 */
#ifndef WRONG
#define WRONG 0
#endif
#pragma inflight set n = 100000
#pragma inflight buffer c length n
void tables(int n, const double *restrict a, double *restrict b, double *restrict c)
{
#if WRONG == 1 /* rows of 9, walked as rows of 8 */
    double t[8][9] = {{0}};
#else
    double t[8][8] = {{0}};
#endif
    double *flat = &t[0][0];
    for (int i = 0; i < n; i++)
        flat[i % 64] += a[i];
#if WRONG == 2 /* m is gone */
    for (int i = 0; i < n; i++)
#else
    for (int i = 0, m = n / 2; i < m; i++)
#endif
        b[i] = t[i / 8 % 8][i % 8];
#if WRONG == 3 /* kept through the store */
    if (n > 2) {
        double kept = c[1];
        for (int i = 1; i + 1 < n; i++) {
            c[i] = kept + c[i - 1];
            kept = c[i];
        }
    }
#elif WRONG == 4 /* read before the loop */
    double first = n > 0 ? c[0] : 0;
    for (int i = 1; i + 1 < n; i++)
        c[i] = c[i + 1] + first;
#elif WRONG == 5 /* two at once */
    int i = 1;
    for (; i + 2 < n; i += 2) {
        double x = c[i + 1] + c[i - 1], y = c[i + 2] + c[i];
        c[i] = x;
        c[i + 1] = y;
    }
    for (; i + 1 < n; i++)
        c[i] = c[i + 1] + c[i - 1];
#elif WRONG == 6 /* the last two are missing when they are few */
    for (int i = 1; i + 1 < n; i++)
        if (n % 64 > 2 || i + 3 < n)
            c[i] = c[i + 1] + c[i - 1];
#elif WRONG == 7 /* all but multiples of 48 */
    for (int i = 1; i + 1 < n; i++)
        if (n % 48 || i % 16)
            c[i] = c[i + 1] + c[i - 1];
#elif WRONG == 8 /* the last whole block of 128 */
    for (int i = 1; i + 1 < n; i++)
        if (i < 129 || i / 128 != n / 128 - 1)
            c[i] = c[i + 1] + c[i - 1];
#else
    for (int i = 1; i + 1 < n; i++)
        c[i] = c[i + 1] + c[i - 1];
#endif
}
