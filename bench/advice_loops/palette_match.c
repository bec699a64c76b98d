/* After questions about colour quantization: for each pixel the nearest of 256 colours of
 * a palette, with the least distance and its place in locals. Known remedy: 32 pixels
 * side by side, both chosen by masks: vectors. */
#pragma inflight kernel
#pragma inflight set n = 150000
#pragma inflight set colors = 256
#pragma inflight buffer pixel = uniform(0, 255)
#pragma inflight buffer palette = uniform(0, 255)
void palette_match(int n, int colors, int place[restrict n],
                   const unsigned char pixel[restrict n][3],
                   const unsigned char palette[restrict colors][3])
{
    for (int i = 0; i < n; i++) {
        int least = 1 << 30, best = 0;
        for (int c = 0; c < colors; c++) {
            int r = pixel[i][0] - palette[c][0], g = pixel[i][1] - palette[c][1],
                b = pixel[i][2] - palette[c][2];
            int distance = r * r + g * g + b * b;
            if (distance < least) {
                least = distance;
                best = c;
            }
        }
        place[i] = best;
    }
}

enum { SIDE = 32 };

void hand(int n, int colors, int place[restrict n],
          const unsigned char pixel[restrict n][3],
          const unsigned char palette[restrict colors][3])
{
    for (int ib = 0; ib < n; ib += SIDE) {
        int red[SIDE] = {0}, green[SIDE] = {0}, blue[SIDE] = {0}, least[SIDE],
            best[SIDE] = {0}, side = n - ib < SIDE ? n - ib : SIDE;
        for (int v = 0; v < side; v++) {
            red[v] = pixel[ib + v][0];
            green[v] = pixel[ib + v][1];
            blue[v] = pixel[ib + v][2];
        }
        for (int v = 0; v < SIDE; v++)
            least[v] = 1 << 30;
        for (int c = 0; c < colors; c++) {
            int pr = palette[c][0], pg = palette[c][1], pb = palette[c][2];
            for (int v = 0; v < SIDE; v++) {
                int r = red[v] - pr, g = green[v] - pg, b = blue[v] - pb;
                int distance = r * r + g * g + b * b, nearer = distance < least[v];
                least[v] = nearer ? distance : least[v];
                best[v] = nearer ? c : best[v];
            }
        }
        for (int v = 0; v < side; v++)
            place[ib + v] = best[v];
    }
}
