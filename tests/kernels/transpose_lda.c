/*
 * transpose_lda: Out of place, with a leading dimension on either side.
 */
#pragma inflight kernel
#pragma inflight set n = 5000
#pragma inflight set lda = 5008
#pragma inflight set ldb = 5016
void transpose_lda(int n, int lda, int ldb, double *restrict b, const double *restrict a)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[j * ldb + i] = a[i * lda + j];
}
