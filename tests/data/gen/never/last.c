int kernel(int n, int *restrict a, const int *restrict b)
{
    int last = 7;
#pragma omp parallel for lastprivate(last)
    for (int i = 0; i < n; i++) {
        last = b[i];
        for (int j = 0; j < n; j++)
            a[i * 32 + j] = b[j * 32 + i];
    }
    return last;
}
