int kernel(int n, int *restrict a, const int *restrict b)
{
    int last = 7;
#pragma omp parallel for lastprivate(last)
    for (int i = 0; i < n; i++) {
        last = b[i];
        a[i] = b[2 * i];
    }
    return last;
}
