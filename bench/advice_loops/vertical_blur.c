/* After the vertical pass of a separable filter written like the horizontal one, column
 * by column; guides of image libraries. Known remedy: the same five rows for a whole
 * row of pixels: x inside. */
#pragma inflight kernel
#pragma inflight set w = 4000
#pragma inflight set h = 2200
void vertical_blur(int w, int h, const float *restrict in, float *restrict out)
{
    for (int x = 0; x < w; x++)
        for (int y = 2; y < h - 2; y++)
            out[y * w + x] = 0.0625f * (in[(y - 2) * w + x] + in[(y + 2) * w + x]) +
                             0.25f * (in[(y - 1) * w + x] + in[(y + 1) * w + x]) +
                             0.375f * in[y * w + x];
}

void hand(int w, int h, const float *restrict in, float *restrict out)
{
    for (int y = 2; y < h - 2; y++)
        for (int x = 0; x < w; x++)
            out[y * w + x] = 0.0625f * (in[(y - 2) * w + x] + in[(y + 2) * w + x]) +
                             0.25f * (in[(y - 1) * w + x] + in[(y + 1) * w + x]) +
                             0.375f * in[y * w + x];
}
