/*
 * heat_3d_time: Seven points in space over time, two grids by turns.
 */
#pragma inflight kernel
#pragma inflight set n = 192
#pragma inflight set steps = 4
void heat_3d_time(int n, int steps, double u[restrict n][n][n], double v[restrict n][n][n])
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                for (int k = 1; k < n - 1; k++)
                    v[i][j][k] = 0.4 * u[i][j][k] + 0.1 * (u[i - 1][j][k] + u[i + 1][j][k] + u[i][j - 1][k] +
                                                           u[i][j + 1][k] + u[i][j][k - 1] + u[i][j][k + 1]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                for (int k = 1; k < n - 1; k++)
                    u[i][j][k] = 0.4 * v[i][j][k] + 0.1 * (v[i - 1][j][k] + v[i + 1][j][k] + v[i][j - 1][k] +
                                                           v[i][j + 1][k] + v[i][j][k - 1] + v[i][j][k + 1]);
    }
}
