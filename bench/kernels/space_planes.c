/* Sums over the slowest dimension of a cube, each element times its mirrored one. */
#pragma inflight kernel
#pragma inflight set n = 200
void sum_planes(int n, double sum[restrict n][n], const double cube[restrict n][n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                sum[j][k] = sum[j][k] + 0.5 * cube[i][j][k] * cube[i][k][j];
}
