/* After the much asked question why adding 0 instead of 0.1 makes a loop many times
 * slower, and audio filters that fade to silence. Known remedy: numbers too small to be
 * normal made 0. */
#pragma inflight kernel
#pragma inflight set rounds = 20
#pragma inflight set n = 100000
#pragma inflight buffer in = uniform(1e-38, 2e-38)
#pragma inflight buffer out = zero
void fading_away(int rounds, int n, float *restrict out, const float *restrict in)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            out[i] = out[i] + in[i] * 0.125f;
}

void hand(int rounds, int n, float *restrict out, const float *restrict in)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++) {
            float small = in[i] * 0.125f;
            out[i] = out[i] + (small < 1.18e-38f ? 0 : small);
        }
}
