/* Recurrences of distance 1, 7, 64 and half of the array.
 * wrong: 9 */
#ifndef WRONG
#define WRONG 0
#endif
#pragma inflight set n = 100003
#pragma inflight buffer d length n
void distances(int n, double *restrict a, double *restrict b, double *restrict c,
               double *restrict d)
{
#if WRONG == 1 /* vectors of 8 */
    int i = 1;
    for (; i + 7 < n; i += 8) {
        double t[8];
        for (int k = 0; k < 8; k++)
            t[k] = a[i + k - 1] * 0.5 + a[i + k];
        for (int k = 0; k < 8; k++)
            a[i + k] = t[k];
    }
    for (; i < n; i++)
        a[i] = a[i - 1] * 0.5 + a[i];
#else
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1] * 0.5 + a[i];
#endif
#if WRONG == 2 /* vectors of 8: the eighth needs the first */
    int j = 7;
    for (; j + 7 < n; j += 8) {
        double t[8];
        for (int k = 0; k < 8; k++)
            t[k] = b[j + k - 7] * 0.5 + b[j + k];
        for (int k = 0; k < 8; k++)
            b[j + k] = t[k];
    }
    for (; j < n; j++)
        b[j] = b[j - 7] * 0.5 + b[j];
#elif WRONG == 3 /* downwards */
    for (int i = n - 1; i >= 7; i--)
        b[i] = b[i - 7] * 0.5 + b[i];
#else
    for (int i = 7; i < n; i++)
        b[i] = b[i - 7] * 0.5 + b[i];
#endif
#if WRONG == 4 /* blocks of 128 from saved values */
    for (int k = 64; k < n; k += 128) {
        double t[128];
        for (int i = 0; i < 128 && k + i < n; i++)
            t[i] = c[k + i - 64];
        for (int i = 0; i < 128 && k + i < n; i++)
            c[k + i] += t[i] * 0.5;
    }
#elif WRONG == 5 /* reversed */
    for (int i = n - 1; i >= 64; i--)
        c[i] += c[i - 64] * 0.5;
#elif WRONG == 6 /* four parts beside each other, the later ones first */
    for (int p = 3; p >= 0; p--)
        for (int i = 64 + p * ((n - 61) / 4); i < n && i < 64 + (p + 1) * ((n - 61) / 4);
             i++)
            c[i] += c[i - 64] * 0.5;
#else
    for (int i = 64; i < n; i++)
        c[i] += c[i - 64] * 0.5;
#endif
#if WRONG == 7 /* reversed */
    for (int i = n - 1; i >= 0; i--)
        d[i] = i >= n / 2 ? d[i - n / 2] + 1 : d[i] * 2;
#elif WRONG == 8 /* two halves at once */
    for (int i = 0; i < n / 2; i++) {
        d[i + n / 2] = d[i] + 1;
        d[i] = d[i] * 2;
    }
#elif WRONG == 9 /* halves of an even length */
    for (int i = 0; i < n / 2; i++)
        d[i] = d[i] * 2;
    for (int i = 0; i < n / 2; i++)
        d[i + n / 2] = d[i] + 1;
#else
    for (int i = 0; i < n; i++)
        d[i] = i >= n / 2 ? d[i - n / 2] + 1 : d[i] * 2;
#endif
}
