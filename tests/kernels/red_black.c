/*
 * red_black: Red points and black points in place, told apart by a condition on the subscripts.
 */
#pragma inflight kernel
#pragma inflight set n = 2000
#pragma inflight set sweeps = 3
void red_black(int n, int sweeps, double u[n][n])
{
    for (int s = 0; s < sweeps; s++)
        for (int color = 0; color < 2; color++)
            for (int i = 1; i < n - 1; i++)
                for (int j = 1; j < n - 1; j++)
                    if ((i + j) % 2 == color)
                        u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
}
