/* After the reference linear algebra library: a times x plus y, within the first cache.
 * Nothing to gain: vectors already; two loads and a store for each. */
#pragma inflight kernel
#pragma inflight set rounds = 60000
#pragma inflight set n = 4000
#pragma inflight buffer y = zero
void saxpy_cached(int rounds, int n, float a, float y[restrict n],
                  const float x[restrict n])
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            y[i] = 0.5f * y[i] + a * x[i];
}
