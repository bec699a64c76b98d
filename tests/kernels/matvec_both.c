/*
 * matvec_both: Products of a matrix and of its transpose with two vectors; the second is walked down
 * the columns.
 */
#pragma inflight kernel
#pragma inflight set n = 4000
void matvec_both(int n, double *restrict p, double *restrict q, const double A[restrict n][n],
                 const double *restrict x, const double *restrict y)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            p[i] = p[i] + A[i][j] * x[j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            q[i] = q[i] + A[j][i] * y[j];
}
