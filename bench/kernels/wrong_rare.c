/* Conditions that hold seldom, and in runs.
 * wrong: 8 */
#ifndef WRONG
#define WRONG 0
#endif
#pragma inflight set n = 100000
int rare(int n, const double *restrict a, const int *restrict mask, double *restrict b)
{
    int count = 0;
    double top = 0.98;
    for (int i = 0; i < n; i++) {
#if WRONG == 1 /* never */
        if (a[i] > 2)
#elif WRONG == 2 /* less seldom */
        if (a[i] > 0.97)
#else
        if (a[i] > top)
#endif
            b[i] = -a[i];
#if WRONG == 3 /* both sides of two in a row */
        else if (mask[i] && i > 0 && mask[i - 1])
#elif WRONG == 4 /* any bit */
        else if (mask[i] & 1)
#elif WRONG == 5 /* signs */
        else if (mask[i] > 0)
#else
        else if (mask[i])
#endif
            b[i] = a[i] * 2;
#if WRONG == 6 /* counted where it is not */
        count += mask[i] != 0;
#elif WRONG == 7 /* one of four lanes */
        count += mask[i] == 0 && i % 4 != 3;
#elif WRONG == 8 /* until one is very large */
        if (a[i] > 0.999)
            break;
        count += mask[i] == 0;
#else
        count += mask[i] == 0;
#endif
    }
    return count;
}
