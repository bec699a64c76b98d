/* After video codecs: brightness of three planes in fixed point. Nothing to gain:
 * vectors already: multiplications of 16 bits widened to 32, from the cache. */
#pragma inflight kernel
#pragma inflight set rounds = 200
#pragma inflight set n = 200000
#pragma inflight buffer r = uniform(0, 255)
#pragma inflight buffer g = uniform(0, 255)
#pragma inflight buffer b = uniform(0, 255)
void luma_planes(int rounds, int n, unsigned char y[restrict n],
                 const unsigned char r[restrict n], const unsigned char g[restrict n],
                 const unsigned char b[restrict n])
{
    for (int k = 0; k < rounds; k++)
        for (int i = 0; i < n; i++)
            y[i] = (unsigned char)((77 * r[i] + 150 * g[i] + 29 * b[i] + 128) >> 8);
}
