/* A transposition that each variant runs in a moment: for bench/kills. */
#pragma inflight kernel
#pragma inflight set n = 700
void small_transpose(int n, const double in[restrict n][n], double out[restrict n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[j][i] = in[i][j];
}
