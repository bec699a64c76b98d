/*
 * permute_3d: A block of three dimensions gets its first one last.
 */
#pragma inflight kernel
#pragma inflight set n = 320
void permute_3d(int n, double out[restrict n][n][n], const double in[restrict n][n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                out[j][k][i] = in[i][j][k];
}
