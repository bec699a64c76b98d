/* Two loops, the second of which needs all of the first: fused and reversed wrongly.
 * wrong: 8 */
#ifndef WRONG
#define WRONG 0
#endif
#pragma inflight set n = 100000
double fused(int n, const double *restrict a, double *restrict b, double *restrict c)
{
    double most = 0;
#if WRONG == 1 /* fused */
    for (int i = 0; i < n; i++) {
        b[i] = a[i] * 2;
        c[i] = b[n - 1 - i] + 1;
        most = b[i] > most ? b[i] : most;
    }
#elif WRONG == 2 /* in blocks of 64 */
    for (int k = 0; k < n; k += 64) {
        for (int i = k; i < n && i < k + 64; i++)
            b[i] = a[i] * 2;
        for (int i = k; i < n && i < k + 64; i++) {
            c[i] = b[n - 1 - i] + 1;
            most = b[i] > most ? b[i] : most;
        }
    }
#elif WRONG == 3 /* the largest of the last block */
    for (int k = 0; k < n; k += 256) {
        most = 0;
        for (int i = k; i < n && i < k + 256; i++) {
            b[i] = a[i] * 2;
            most = b[i] > most ? b[i] : most;
        }
    }
    for (int i = 0; i < n; i++)
        c[i] = b[n - 1 - i] + 1;
#elif WRONG == 4 /* without the last one */
    for (int i = 0; i < n; i++)
        b[i] = a[i] * 2;
    for (int i = 0; i < n; i++)
        c[i] = b[n - 1 - i] + 1;
    for (int i = 0; i + 1 < n; i++)
        most = b[i] > most ? b[i] : most;
#else
    for (int i = 0; i < n; i++)
        b[i] = a[i] * 2;
#if WRONG == 5   /* whole vectors only */
    for (int i = 0; i + 7 < n; i += 8)
        for (int k = i; k < i + 8; k++)
            c[k] = b[n - 1 - k] + 1;
#elif WRONG == 6 /* the rest is one short */
    int i = 0;
    for (; i + 15 < n; i += 16)
        for (int k = i; k < i + 16; k++)
            c[k] = b[n - 1 - k] + 1;
    for (; i < n - 1; i++)
        c[i] = b[n - 1 - i] + 1;
#elif WRONG == 7 /* only from 1000 on */
    for (int i = 0; i < n; i++)
        c[i] = b[n - 1 - i] + (n >= 1000 && i == n / 2 ? 2 : 1);
#elif WRONG == 8 /* a counter of 16 bits */
    for (int i = 0; i < n; i++)
        c[(unsigned short)i] = b[n - 1 - (unsigned short)i] + 1;
#else
    for (int i = 0; i < n; i++)
        c[i] = b[n - 1 - i] + 1;
#endif
    for (int i = 0; i < n; i++)
        most = b[i] > most ? b[i] : most;
#endif
    return most;
}
