void f(int n, double *a)
{
#pragma GCC ivdep
    for (int i = 0; i < n; i++) {
#pragma GCC unroll 4
        for (int j = 0; j < 8; j++)
            a[i] += j;
    }
}
