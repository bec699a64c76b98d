static void attributed(int n, double *a) __attribute__((unused));
__attribute__((noinline)) static void attributed(int n, double *__restrict__ a)
{
    (void)n;
#pragma GCC unroll 8
    for (int i = 0; i < n; i++) {
#pragma clang loop vectorize(enable)
        for (int j = 0; j < n; j++)
            a[j] += i;
        __attribute__((unused)) int dead = i;
    }
}
