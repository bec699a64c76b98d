/* Sums of integers and of numbers of mixed types, and strides.
 * wrong: 8 */
#ifndef WRONG
#define WRONG 0
#endif
#pragma inflight set n = 100000
#pragma inflight set step = 3
#pragma inflight buffer c length n
long sums(int n, int step, const short *restrict a, const unsigned char *restrict b,
          int *restrict c)
{
    long all = 0;
    unsigned short small = 0;
    for (int i = 0; i < n; i++) {
#if WRONG == 1 /* in 32 bits */
        all = (int)(all + a[i] * (long)a[i] * 1000);
#elif WRONG == 2 /* in 16 bits */
        all += (short)(a[i] * 5) * (long)a[i] * 200;
#else
        all += a[i] * (long)a[i] * 1000;
#endif
#if WRONG == 3 /* saturates */
        small = (unsigned short)(small + b[i] > 65535 ? 65535 : small + b[i]);
#elif WRONG == 4 /* signed */
        small = (unsigned short)(small + (signed char)b[i]);
#else
        small = (unsigned short)(small + b[i]);
#endif
    }
    if (step > 0)
#if WRONG == 5 /* whole steps */
        for (int i = 0; i + step <= n; i += step)
#elif WRONG == 6 /* steps of 1 */
        for (int i = 0; i < n; i++)
#elif WRONG == 7 /* at least 2 */
        for (int i = 0; i < n; i += step < 2 ? 2 : step)
#else
        for (int i = 0; i < n; i += step)
#endif
            c[i] += a[i] - b[i];
#if WRONG == 8
    return all + (n < 2000 ? small : small % 60000);
#else
    return all + small;
#endif
}
