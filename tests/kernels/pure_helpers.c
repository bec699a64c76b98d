/*
 * pure_helpers: Subscripts and arithmetic behind small functions.
 */
static inline long at(long i, long j, long n)
{
    return i * n + j;
}
static inline double mix(double a, double b)
{
    return 0.75 * a + 0.25 * b;
}

#pragma inflight kernel
#pragma inflight set n = 3000
#pragma inflight buffer b length n * n
#pragma inflight buffer a length n * n
void pure_helpers(long n, double *restrict b, const double *restrict a)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            b[at(j, i, n)] = mix(a[at(i, j, n)], b[at(j, i, n)]);
}
