/* After the heat equation step by step over an array that no near cache holds; papers
 * on blocking in time. Known remedy: blocks in space and time along the slope of the
 * dependences. */
#pragma inflight kernel
#pragma inflight set steps = 24
#pragma inflight set n = 4000000
void heat_steps(int steps, int n, float u[restrict 2][n])
{
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < n - 1; i++)
            u[(t + 1) % 2][i] =
                0.25f * (u[t % 2][i - 1] + u[t % 2][i + 1]) + 0.5f * u[t % 2][i];
}

enum { SIDE = 8192 };

void hand(int steps, int n, float u[restrict 2][n])
{
    for (int b = 1; b < n - 1 + steps; b += SIDE)
        for (int t = 0; t < steps; t++) {
            int from = b - t > 1 ? b - t : 1,
                to = b - t + SIDE < n - 1 ? b - t + SIDE : n - 1;
            const float *in = u[t % 2];
            float *out = u[(t + 1) % 2];
#pragma GCC ivdep
            for (int i = from; i < to; i++)
                out[i] = 0.25f * (in[i - 1] + in[i + 1]) + 0.5f * in[i];
        }
}
