/* Rows that are copied by a call of the library between two steps.
 * wrong: 6 */
#include <string.h>
#ifndef WRONG
#define WRONG 0
#endif
#pragma inflight set n = 10000
#pragma inflight set steps = 100
#pragma inflight buffer a length n
#pragma inflight buffer b length n
void copies(int steps, int n, double *restrict a, double *restrict b)
{
#if WRONG == 1 /* distributed */
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < n - 1; i++)
            b[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[i + 1];
    for (int t = 0; t < steps; t++)
        if (n > 2)
            memcpy(a + 1, b + 1, (size_t)(n - 2) * sizeof *a);
#elif WRONG == 2 /* jammed by 4 */
    int t = 0;
    for (; t + 3 < steps; t += 4) {
        for (int i = 1; i < n - 1; i++)
            for (int k = 0; k < 4; k++)
                b[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[i + 1];
        if (n > 2)
            memcpy(a + 1, b + 1, (size_t)(n - 2) * sizeof *a);
    }
    for (; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            b[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[i + 1];
        if (n > 2)
            memcpy(a + 1, b + 1, (size_t)(n - 2) * sizeof *a);
    }
#elif WRONG == 3 /* jammed by 16, in blocks of 16 */
    for (int s = 0; s < steps; s += 16) {
        int e = s + 16 < steps ? s + 16 : steps, full = e - s == 16;
        for (int t = s; t < (full ? s + 1 : e); t++) {
            for (int i = 1; i < n - 1; i++)
                b[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[i + 1];
            if (n > 2)
                memcpy(a + 1, b + 1, (size_t)(n - 2) * sizeof *a);
        }
    }
#else
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            b[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[i + 1];
#if WRONG == 4 /* in place from some size on */
        if (n > 512)
            for (int i = 1; i < n - 1; i++)
                a[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[i + 1];
        else
#endif
            if (n > 2)
#if WRONG == 5   /* one element less */
            memcpy(a + 1, b + 1, (size_t)(n - 3) * sizeof *a);
#elif WRONG == 6 /* whole lines */
            memcpy(a + 1, b + 1, (size_t)((n - 2) / 8 * 8) * sizeof *a);
#else
            memcpy(a + 1, b + 1, (size_t)(n - 2) * sizeof *a);
#endif
    }
#endif
}
