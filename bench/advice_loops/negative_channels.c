/* After questions about slow image loops: x outside, y inside, three interleaved
 * channels. Known remedy: y outside: pixels in the order in which they lie. */
#pragma inflight kernel
#pragma inflight set w = 4900
#pragma inflight set h = 4600
void negative_channels(int w, int h, const unsigned char *restrict in,
                       unsigned char *restrict out)
{
    for (int x = 0; x < w; x++)
        for (int y = 0; y < h; y++)
            for (int c = 0; c < 3; c++)
                out[(y * w + x) * 3 + c] = 255 - in[(y * w + x) * 3 + c];
}

void hand(int w, int h, const unsigned char *restrict in, unsigned char *restrict out)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < 3 * w; x++)
            out[y * w * 3 + x] = 255 - in[y * w * 3 + x];
}
