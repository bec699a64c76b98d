/* After the Mandelbrot set in a shoot-out of languages: one point after the other,
 * until it escapes. Known remedy: 16 points side by side, until all have escaped. */
#pragma inflight kernel
#pragma inflight set w = 640
#pragma inflight set h = 400
#pragma inflight set limit = 100
void fractal_points(int w, int h, int limit, int *out)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            double cr = 3.0 * x / w - 2.25, ci = 2.5 * y / h - 1.25, zr = 0, zi = 0;
            int k = 0;
            while (k < limit && zr * zr + zi * zi < 4) {
                double t = zr * zr - zi * zi + cr;
                zi = 2 * zr * zi + ci;
                zr = t;
                k++;
            }
            out[y * w + x] = k;
        }
}

enum { SIDE = 16 };

void hand(int w, int h, int limit, int *out)
{
    for (int y = 0; y < h; y++)
        for (int xb = 0; xb < w; xb += SIDE) {
            double ci = 2.5 * y / h - 1.25, cr[SIDE], zr[SIDE] = {0}, zi[SIDE] = {0};
            long inside[SIDE], count[SIDE] = {0}, any = 1;
            for (int v = 0; v < SIDE; v++) {
                cr[v] = 3.0 * (xb + v) / w - 2.25;
                inside[v] = 1;
            }
            for (int k = 0; k < limit && any; k++) {
                any = 0;
                for (int v = 0; v < SIDE; v++) {
                    double r2 = zr[v] * zr[v], i2 = zi[v] * zi[v], t = r2 - i2 + cr[v];
                    inside[v] &= zr[v] * zr[v] + zi[v] * zi[v] < 4;
                    count[v] += inside[v];
                    zi[v] = 2 * zr[v] * zi[v] + ci;
                    zr[v] = t;
                    any |= inside[v];
                }
            }
            for (int v = 0; v < SIDE && xb + v < w; v++)
                out[y * w + xb + v] = (int)count[v];
        }
}
