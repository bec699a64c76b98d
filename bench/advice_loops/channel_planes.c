/* After questions about images of row pointers: planes outside, then columns, then
 * rows. Known remedy: rows outside of columns. */
#pragma inflight kernel
#pragma inflight set planes = 3
#pragma inflight set h = 2000
#pragma inflight set w = 2100
void channel_planes(int planes, int h, int w, float out[restrict planes][h][w],
                    const float *restrict in)
{
    for (int p = 0; p < planes; p++)
        for (int x = 0; x < w; x++)
            for (int y = 0; y < h; y++)
                out[p][y][x] = in[(y * w + x) * planes + p] * 0.00392f;
}

void hand(int planes, int h, int w, float out[restrict planes][h][w],
          const float *restrict in)
{
    for (int y = 0; y < h; y++)
        for (int p = 0; p < planes; p++)
            for (int x = 0; x < w; x++)
                out[p][y][x] = in[(y * w + x) * planes + p] * 0.00392f;
}
