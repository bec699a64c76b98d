/*
 * escape_times: How long points of a plane stay bounded: a loop that ends when the data say so.
 */
#pragma inflight kernel
#pragma inflight set n = 300
void escape_times(int n, int steps[restrict n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double cr = -2.0 + 3.0 * j / n, ci = -1.5 + 3.0 * i / n, zr = 0, zi = 0;
            int k = 0;
            while (k < 100 && zr * zr + zi * zi < 4.0) {
                double t = zr * zr - zi * zi + cr;
                zi = 2.0 * zr * zi + ci;
                zr = t;
                k++;
            }
            steps[i][j] = k;
        }
}
