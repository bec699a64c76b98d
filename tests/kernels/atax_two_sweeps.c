/*
 * atax_two_sweeps: y = A^T (A x) with the second product written as dot products of columns.
 */
#pragma inflight kernel
#pragma inflight set n = 3500
#pragma inflight set m = 3500
void atax_two_sweeps(int n, int m, double y[restrict m], double t[restrict n], const double A[restrict n][m],
                     const double x[restrict m])
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < m; j++)
            sum += A[i][j] * x[j];
        t[i] = sum;
    }
    for (int j = 0; j < m; j++) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += A[i][j] * t[i];
        y[j] = sum;
    }
}
