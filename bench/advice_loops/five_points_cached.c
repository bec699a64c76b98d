/* After the stencil of every course on parallel programming, one plane in the second
 * cache. Nothing to gain: vectors already, from the cache; one sweep over it for each
 * round in place of more work for each. */
#pragma inflight kernel
#pragma inflight set rounds = 400
#pragma inflight set n = 100
void five_points_cached(int rounds, int n, float out[restrict n][n],
                        const float in[restrict n][n])
{
    for (int r = 0; r < rounds; r++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                out[i][j] = 0.2f * (in[i][j] + in[i][j - 1] + in[i][j + 1] +
                                    in[i - 1][j] + in[i + 1][j]) +
                            (float)r;
}
