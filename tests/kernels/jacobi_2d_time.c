/*
 * jacobi_2d_time: Five points, two grids by turns, some steps.
 */
#pragma inflight kernel
#pragma inflight set n = 2200
#pragma inflight set steps = 10
void jacobi_2d_time(int n, int steps, double A[restrict n][n], double B[restrict n][n])
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                B[i][j] = 0.2 * (A[i][j] + A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                A[i][j] = B[i][j];
    }
}
