/* A nest below an `if` that has an `else`, and a state behind it.
 * wrong: 5 */
#ifndef WRONG
#define WRONG 0
#endif
#pragma inflight set n = 100000
#pragma inflight set k = 7
int branches(int n, int k, const float *restrict a, float *restrict b)
{
    int state = 0;
#if WRONG == 1 /* the else belongs to the guard */
    if (k > 3) {
        if (n >= 1)
            for (int i = 0; i < n; i++)
                b[i] = a[i] + 1;
        else
            state = 1;
    }
#elif WRONG == 2 /* it is gone */
    if (k > 3)
        for (int i = 0; i < n; i++)
            b[i] = a[i] + 1;
#elif WRONG == 3 /* always */
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1;
    if (k <= 3)
        state = 1;
#elif WRONG == 4 /* one less */
    if (k > 4)
        for (int i = 0; i < n; i++)
            b[i] = a[i] + 1;
    else
        state = 1;
#elif WRONG == 5 /* both */
    if (k > 3)
        for (int i = 0; i < n; i++)
            b[i] = a[i] + 1;
    state = 1;
#else
    if (k > 3)
        for (int i = 0; i < n; i++)
            b[i] = a[i] + 1;
    else
        state = 1;
#endif
    for (int i = 0; i < n; i++)
        b[i] += (float)state;
    return state;
}
