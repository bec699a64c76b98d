/*
 * gemv_rows: y = A x with four sums a row: the matrix is read once, in order.
 */
#pragma inflight kernel
#pragma inflight set n = 4500
#pragma inflight set m = 1100
void gemv_rows(int n, int m, double y[restrict n], const double A[restrict n][m][4], const double x[restrict m][4])
{
    for (int i = 0; i < n; i++) {
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        for (int j = 0; j < m; j++) {
            s0 += A[i][j][0] * x[j][0];
            s1 += A[i][j][1] * x[j][1];
            s2 += A[i][j][2] * x[j][2];
            s3 += A[i][j][3] * x[j][3];
        }
        y[i] = (s0 + s1) + (s2 + s3);
    }
}
