/* After questions about thresholds over images: a store under a condition, with the
 * subscript written out. Nothing to gain: compilers make vectors with masks of it where
 * the CPU stores bytes under a mask. */
#pragma inflight kernel
#pragma inflight set w = 8000
#pragma inflight set h = 7000
#pragma inflight set level = 128
#pragma inflight buffer in = uniform(0, 255)
void paint_bright(int w, int h, int level, const unsigned char *in, unsigned char *out)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            if (in[y * w + x] > level)
                out[y * w + x] = 255;
}
