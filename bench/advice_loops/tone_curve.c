/* After image editors: each byte through a table of 256. Nothing to gain: a load for
 * each byte from the first cache, and no dependence. */
#pragma inflight kernel
#pragma inflight set n = 60000000
#pragma inflight buffer curve = uniform(0, 255)
#pragma inflight buffer in = uniform(0, 255)
void tone_curve(int n, unsigned char out[restrict n], const unsigned char in[restrict n],
                const unsigned char curve[restrict 256])
{
    for (int i = 0; i < n; i++)
        out[i] = curve[in[i]];
}
