/* A second name for the same array.
 * wrong: 5 */
#ifndef WRONG
#define WRONG 0
#endif
#pragma inflight set n = 100000
void aliases(int n, float *restrict a, float *restrict b)
{
    float *other = a;
#if WRONG == 1 /* reversed */
    for (int i = n - 2; i >= 0; i--)
        a[i] = other[i + 1] + b[i];
#else
    for (int i = 0; i + 1 < n; i++)
        a[i] = other[i + 1] + b[i];
#endif
    other = b;
#if WRONG == 2 /* vectors of 4 */
    int i = 3;
    for (; i + 3 < n; i += 4) {
        float t[4];
        for (int k = 0; k < 4; k++)
            t[k] = other[i + k - 3] * 0.5f + a[i + k];
        for (int k = 0; k < 4; k++)
            b[i + k] = t[k];
    }
    for (; i < n; i++)
        b[i] = other[i - 3] * 0.5f + a[i];
#elif WRONG == 3 /* vectors of 16, from 64 elements on */
    int i = 3;
    for (; n >= 64 && i + 15 < n; i += 16) {
        float t[16];
        for (int k = 0; k < 16; k++)
            t[k] = other[i + k - 3] * 0.5f + a[i + k];
        for (int k = 0; k < 16; k++)
            b[i + k] = t[k];
    }
    for (; i < n; i++)
        b[i] = other[i - 3] * 0.5f + a[i];
#elif WRONG == 4 /* shifted */
    for (int i = 3; i < n; i++)
        b[i] = other[i - 2] * 0.5f + a[i];
#elif WRONG == 5 /* copied before */
    for (int i = n - 1; i >= 3; i--)
        b[i] = other[i - 3] * 0.5f + a[i];
#else
    for (int i = 3; i < n; i++)
        b[i] = other[i - 3] * 0.5f + a[i];
#endif
}
