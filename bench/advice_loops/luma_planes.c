/* After video codecs: brightness of three planes in fixed point, rounded by what was
 * there. Nothing to gain: vectors already: multiplications of 16 bits widened to 32, at
 * the speed of memory. */
#pragma inflight kernel
#pragma inflight set n = 30000000
#pragma inflight buffer y = uniform(0, 255)
#pragma inflight buffer r = uniform(0, 255)
#pragma inflight buffer g = uniform(0, 255)
#pragma inflight buffer b = uniform(0, 255)
void luma_planes(int n, unsigned char y[restrict n], const unsigned char r[restrict n],
                 const unsigned char g[restrict n], const unsigned char b[restrict n])
{
    for (int i = 0; i < n; i++)
        y[i] = (unsigned char)((77 * r[i] + 150 * g[i] + 29 * b[i] + y[i]) >> 8);
}
