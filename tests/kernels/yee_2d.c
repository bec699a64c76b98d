/*
 * yee_2d: Electric and magnetic field by turns, each half a step and half a cell apart.
 */
#pragma inflight kernel
#pragma inflight set n = 1500
#pragma inflight set m = 1500
#pragma inflight set steps = 6
void yee_2d(int n, int m, int steps, double ex[restrict n][m], double ey[restrict n][m], double hz[restrict n][m])
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n; i++)
            for (int j = 0; j < m; j++)
                ey[i][j] -= 0.3 * (hz[i][j] - hz[i - 1][j]);
        for (int i = 0; i < n; i++)
            for (int j = 1; j < m; j++)
                ex[i][j] -= 0.3 * (hz[i][j] - hz[i][j - 1]);
        for (int i = 0; i < n - 1; i++)
            for (int j = 0; j < m - 1; j++)
                hz[i][j] -= 0.3 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
    }
}
