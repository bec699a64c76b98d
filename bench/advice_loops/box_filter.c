/* After box filters in questions and image libraries: the whole window added up for
 * each pixel. Known remedy: the sum carried along: one pixel comes, one goes. */
#pragma inflight kernel
#pragma inflight set h = 300
#pragma inflight set w = 4000
#pragma inflight set size = 61
#pragma inflight buffer in = uniform(0, 255)
void box_filter(int h, int w, int size, int out[restrict h][w],
                const unsigned char in[restrict h][w + size])
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int sum = 0;
            for (int k = 0; k < size; k++)
                sum += in[y][x + k];
            out[y][x] = sum;
        }
}

void hand(int h, int w, int size, int out[restrict h][w],
          const unsigned char in[restrict h][w + size])
{
    for (int y = 0; y < h; y++) {
        int sum = 0;
        for (int k = 0; k < size; k++)
            sum += in[y][k];
        for (int x = 0; x < w; x++) {
            out[y][x] = sum;
            sum += size > 0 ? in[y][x + size] - in[y][x] : 0;
        }
    }
}
