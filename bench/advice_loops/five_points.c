/* After the stencil of every course on parallel programming, added to another plane.
 * Nothing to gain: vectors already, one sweep, at the speed of memory; what is stored
 * was read before. */
#pragma inflight kernel
#pragma inflight set n = 4000
#pragma inflight buffer out = zero
void five_points(int n, float out[restrict n][n], const float in[restrict n][n])
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            out[i][j] += 0.2f * (in[i][j] + in[i][j - 1] + in[i][j + 1] + in[i - 1][j] +
                                 in[i + 1][j]);
}
