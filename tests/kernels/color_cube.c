/*
 * color_cube: Colours converted by a cube of 128 steps a side, three results a pixel.
 */
#pragma inflight kernel
#pragma inflight set n = 3000000
#pragma inflight buffer r = index(128)
#pragma inflight buffer g = index(128)
#pragma inflight buffer b = index(128)
void color_cube(long n, float out[restrict n][3], const float cube[restrict 128][128][128],
                const unsigned char r[restrict n], const unsigned char g[restrict n],
                const unsigned char b[restrict n])
{
    for (long i = 0; i < n; i++)
        for (int c = 0; c < 3; c++)
            out[i][c] = (float)(c + 1) * cube[r[i]][g[i]][b[i]];
}
