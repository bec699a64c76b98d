/*
 * convolve_2d: A dense filter of 9 x 9 points with the loops over the filter outside: the picture is
 * crossed 81 times.
 */
#pragma inflight kernel
#pragma inflight set n = 1400
void convolve_2d(int n, float out[restrict n][n], const float in[restrict n + 8][n + 8], const float f[restrict 9][9])
{
    for (int a = 0; a < 9; a++)
        for (int b = 0; b < 9; b++)
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    out[i][j] += f[a][b] * in[i + a][j + b];
}
