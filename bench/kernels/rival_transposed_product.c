/* y = A^T x: every element of y is a walk down a column of A. */
#pragma inflight kernel
#pragma inflight set n = 5000
#pragma inflight set m = 3600
#pragma inflight buffer y = zero
void transposed_product(int n, int m, double y[restrict m], const double A[restrict n][m],
                        const double x[restrict n])
{
    for (int j = 0; j < m; j++) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += A[i][j] * x[i];
        y[j] = sum;
    }
}
