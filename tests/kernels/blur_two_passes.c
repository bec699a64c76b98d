/*
 * blur_two_passes: A separable filter: along the rows, then along the columns; the passes could be
 * fused.
 */
#pragma inflight kernel
#pragma inflight set h = 2500
#pragma inflight set w = 2500
void blur_two_passes(int h, int w, float tmp[restrict h][w], float out[restrict h][w], const float in[restrict h][w])
{
    for (int y = 0; y < h; y++)
        for (int x = 1; x < w - 1; x++)
            tmp[y][x] = (in[y][x - 1] + in[y][x] + in[y][x + 1]) / 3.0f;
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++)
            out[y][x] = (tmp[y - 1][x] + tmp[y][x] + tmp[y + 1][x]) / 3.0f;
}
