/*
 * gauss_seidel_2d: In place, nine points: each sweep uses what it has just made.
 */
#pragma inflight kernel
#pragma inflight set n = 1400
#pragma inflight set steps = 6
void gauss_seidel_2d(int n, int steps, double A[n][n])
{
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1] + A[i][j - 1] + A[i][j] + A[i][j + 1] +
                           A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1]) /
                          9.0;
}
