void f(int n, const double *restrict a, double *restrict b)
{
    a = __builtin_assume_aligned(a, 64);
    for (int i = 0; i < n; i++) {
        __builtin_prefetch(&a[i + 16], 0, 0);
        b[i] = __builtin_fabs(a[i]);
    }
}
