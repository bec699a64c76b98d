/* What an iteration leaves to the next one, or behind the loop.
 * wrong: 8 */
#ifndef WRONG
#define WRONG 0
#endif
#pragma inflight set n = 100000
int states(int n, const int *restrict a, int *restrict b)
{
    int last = 0, seen = -1;
#if WRONG == 1 /* every iteration has its own */
    for (int i = 0; i < n; i++) {
        int own = 0;
        b[i] = a[i] - own;
        own = a[i];
        last = own;
        seen = a[i] > 900 ? i : seen;
    }
#elif WRONG == 2 /* every block of 32 */
    for (int k = 0; k < n; k += 32) {
        last = 0;
        for (int i = k; i < n && i < k + 32; i++) {
            b[i] = a[i] - last;
            last = a[i];
            seen = a[i] > 900 ? i : seen;
        }
    }
#elif WRONG == 3 /* downwards */
    for (int i = n - 1; i >= 0; i--) {
        b[i] = a[i] - last;
        last = a[i];
        seen = a[i] > 900 ? i : seen;
    }
#else
    for (int i = 0; i < n; i++) {
        b[i] = a[i] - last;
#if WRONG == 4   /* of two iterations */
        last = i % 2 ? a[i - 1] : a[i];
#elif WRONG == 5 /* not behind the 512th */
        last = i == 512 ? last : a[i];
#else
        last = a[i];
#endif
#if WRONG == 6   /* the first */
        seen = seen < 0 && a[i] > 900 ? i : seen;
#elif WRONG == 7 /* not in the last three */
        seen = i + 3 < n && a[i] > 900 ? i : seen;
#else
        seen = a[i] > 900 ? i : seen;
#endif
    }
#endif
#if WRONG == 8
    return last;
#else
    return last + seen;
#endif
}
