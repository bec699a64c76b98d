/*
 * heat_1d_time: A rod over many steps, two arrays by turns: it crosses the cache once a step.
 */
#pragma inflight kernel
#pragma inflight set n = 4000000
#pragma inflight set steps = 20
void heat_1d_time(int n, int steps, double *restrict u, double *restrict v)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.25 * u[i - 1] + 0.5 * u[i] + 0.25 * u[i + 1];
        for (int i = 1; i < n - 1; i++)
            u[i] = 0.25 * v[i - 1] + 0.5 * v[i] + 0.25 * v[i + 1];
    }
}
