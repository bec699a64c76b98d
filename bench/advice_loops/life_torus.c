/* After the Game of Life as beginners post it for review: each of the nine neighbours is
 * found by two remainders, so that the world has no border. Known remedy: remainders for
 * the first and the last column only, and one for each row. */
#pragma inflight kernel
#pragma inflight set h = 2400
#pragma inflight set w = 2400
#pragma inflight buffer now = uniform(0, 1)
void life_torus(int h, int w, unsigned char next[restrict h][w],
                const unsigned char now[restrict h][w])
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int around = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    around += now[(y + dy + h) % h][(x + dx + w) % w];
            around -= now[y][x];
            next[y][x] = around == 3 || (around == 2 && now[y][x]);
        }
}

static unsigned char cell(const unsigned char *up, const unsigned char *row,
                          const unsigned char *down, int left, int x, int right)
{
    unsigned char around =
        (unsigned char)(up[left] + up[x] + up[right] + row[left] + row[right] +
                        down[left] + down[x] + down[right]);
    return (around == 3) | ((around == 2) & row[x]);
}

void hand(int h, int w, unsigned char next[restrict h][w],
          const unsigned char now[restrict h][w])
{
    for (int y = 0; y < h; y++) {
        const unsigned char *up = now[(y + h - 1) % h], *row = now[y],
                            *down = now[(y + 1) % h];
        for (int x = 1; x < w - 1; x++)
            next[y][x] = cell(up, row, down, x - 1, x, x + 1);
        if (w > 0) {
            next[y][0] = cell(up, row, down, w - 1, 0, 1 % w);
            next[y][w - 1] = cell(up, row, down, (w + w - 2) % w, w - 1, 0);
        }
    }
}
