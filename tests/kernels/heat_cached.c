/*
 * heat_cached: A rod that the first cache holds, many steps: arithmetic only.
 */
#pragma inflight kernel
#pragma inflight set n = 1024
#pragma inflight set steps = 20000
void heat_cached(int n, int steps, double u[restrict n], double v[restrict n])
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.25 * u[i - 1] + 0.5 * u[i] + 0.25 * u[i + 1];
        for (int i = 1; i < n - 1; i++)
            u[i] = 0.25 * v[i - 1] + 0.5 * v[i] + 0.25 * v[i + 1];
    }
}
