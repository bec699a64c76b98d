/*
 * transpose_bytes: A picture of bytes turned by a quarter.
 */
#pragma inflight kernel
#pragma inflight set h = 8000
#pragma inflight set w = 7000
void transpose_bytes(int h, int w, unsigned char out[restrict w][h], const unsigned char in[restrict h][w])
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            out[x][h - 1 - y] = in[y][x];
}
