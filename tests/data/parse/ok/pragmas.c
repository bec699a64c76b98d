#include <stddef.h>
#if 0
#pragma inflight kernel
#endif
static int helper(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += i;
    return s;
}

# pragma inflight set n = 100 // the size
#pragma  inflight buffer a = \
    uniform(0, 1) /* contents */
#pragma inflight kernel
#pragma omp declare simd
void pragmas(int n, double *a)
{
    int k = helper(n);
#pragma inflight assume independent(i)
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
#pragma GCC unroll 4
        for (int j = 0; j < k; j++)
            a[i] += j;
#pragma GCC ivdep
        for (int j = 0; j < k; j++) {
#pragma inflight assume independent(j)
            a[i] -= j;
        }
    }
#pragma clang loop unroll_count(2)
    for (int i = 0; i < n; i++)
#pragma omp simd
        for (int j = 0; j < n; j++)
            a[i + j] = 0;
}
