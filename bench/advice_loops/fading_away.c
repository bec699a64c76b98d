/* After the much asked question why adding 0 instead of 0.1 makes a loop many times
 * slower, and audio filters that fade to silence. Known remedy: numbers too small to be
 * normal made 0. */
#pragma inflight kernel
#pragma inflight set n = 3000000
#pragma inflight buffer in = uniform(1e-38, 2e-38)
void fading_away(int n, float *restrict out, const float *restrict in)
{
    for (int i = 0; i < n; i++)
        out[i] = out[i] + in[i] * 0.125f;
}

void hand(int n, float *restrict out, const float *restrict in)
{
    for (int i = 0; i < n; i++) {
        float x = in[i] > -1e-37f && in[i] < 1e-37f ? 0 : in[i];
        out[i] = out[i] + x * 0.125f;
    }
}
