/* After codes that move particles, with a loop over the dimensions inside that is as
 * short as it gets. Known remedy: one loop over all coordinates. */
#pragma inflight kernel
#pragma inflight set n = 8000000
#pragma inflight set d = 3
#pragma inflight buffer x = zero
void short_vectors(int n, int d, float *restrict x, const float *restrict v)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < d; k++)
            x[i * d + k] += 0.01f * v[i * d + k];
}

void hand(int n, int d, float *restrict x, const float *restrict v)
{
    for (int i = 0; i < n * d; i++)
        x[i] += 0.01f * v[i];
}
