/* Linear subscripts through plain pointers. */
void add(long n, long m, long lda, float *a, const float *restrict b, float *const c)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++) {
            a[i * lda + j] = b[(i + 1) * m - j - 1] + *(c + i * m + j);
            *(a + j) -= b[-(i - n)];
        }
}
