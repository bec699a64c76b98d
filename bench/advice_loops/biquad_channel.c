/* After cookbooks for audio filters: one channel through one section of second order.
 * Nothing to gain: each sample waits for the one before, and there is one channel. */
#pragma inflight kernel
#pragma inflight set n = 8000000
float biquad_channel(int n, float out[restrict n], const float in[restrict n])
{
    float z1 = 0, z2 = 0;
    for (int i = 0; i < n; i++) {
        float x = in[i], y = 0.2f * x + z1;
        z1 = 0.4f * x + 0.37f * y + z2;
        z2 = 0.2f * x - 0.2f * y;
        out[i] = y;
    }
    return z1 + z2;
}
