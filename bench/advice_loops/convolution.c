/* After a filter's two loops inside those over the pixels, as courses on image
 * processing write it. Known remedy: one tap at a time over a whole row, in the same
 * order: vectors along the row. */
#pragma inflight kernel
#pragma inflight set w = 1900
#pragma inflight set h = 1000
#pragma inflight set k = 5
void convolution(int w, int h, int k, float out[restrict h][w],
                 const float in[restrict h + k][w + k], const float tap[restrict k][k])
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float sum = 0;
            for (int ky = 0; ky < k; ky++)
                for (int kx = 0; kx < k; kx++)
                    sum += tap[ky][kx] * in[y + ky][x + kx];
            out[y][x] = sum;
        }
}

void hand(int w, int h, int k, float out[restrict h][w],
          const float in[restrict h + k][w + k], const float tap[restrict k][k])
{
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++)
            out[y][x] = 0;
        for (int ky = 0; ky < k; ky++)
            for (int kx = 0; kx < k; kx++)
                for (int x = 0; x < w; x++)
                    out[y][x] += tap[ky][kx] * in[y + ky][x + kx];
    }
}
