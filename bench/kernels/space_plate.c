/* Nine points of a plate that conducts unevenly. */
#pragma inflight kernel
#pragma inflight set n = 1500
void plate_step(int n, float to[restrict n][n], const float from[restrict n][n],
                const float conduct[restrict n][n])
{
    for (int j = 1; j < n - 1; j++)
        for (int i = 1; i < n - 1; i++)
            to[i][j] =
                from[i][j] +
                conduct[i][j] * (0.2f * (from[i - 1][j] + from[i + 1][j] +
                                         from[i][j - 1] + from[i][j + 1]) +
                                 0.05f * (from[i - 1][j - 1] + from[i - 1][j + 1] +
                                          from[i + 1][j - 1] + from[i + 1][j + 1]) -
                                 from[i][j]);
}
