/*
 * laplace_columns: One sweep of five points with the loops the wrong way round.
 */
#pragma inflight kernel
#pragma inflight set n = 4500
void laplace_columns(int n, double out[restrict n][n], const double in[restrict n][n])
{
    for (int j = 1; j < n - 1; j++)
        for (int i = 1; i < n - 1; i++)
            out[i][j] = in[i - 1][j] + in[i + 1][j] + in[i][j - 1] + in[i][j + 1] - 4.0 * in[i][j];
}
