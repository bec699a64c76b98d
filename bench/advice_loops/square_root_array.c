/* After vector libraries: the inverse of each number and its square, from the cache.
 * Nothing to gain: the divider is busy, in vectors. */
#pragma inflight kernel
#pragma inflight set rounds = 100
#pragma inflight set n = 60000
void square_root_array(int rounds, int n, double out[restrict n],
                       const double in[restrict n])
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            out[i] = 1.0 / (in[i] * in[i] + 1.0);
}
