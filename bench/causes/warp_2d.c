/* warp_rows as the best path through a grid of double, from row to row of a table of two,
 * the largest sum instead of the least. */
#pragma inflight kernel
#pragma inflight set m = 8192
#pragma inflight set n = 2048
#pragma inflight set gap = 0.75
#pragma inflight buffer best = zero
double warp_2d(long m, long n, double gap, double best[restrict 2][n],
               const double worth[restrict n])
{
    for (long i = 0; i < m; i++) {
        const long now = i % 2, before = 1 - now;
        double left = best[before][0];
        best[now][0] = left;
        for (long j = 1; j < n; j++) {
            double above = best[before][j - 1] + worth[j];
            left = left - gap;
            left = left > above ? left : above;
            best[now][j] = left;
        }
    }
    return best[(m + 1) % 2][n - 1];
}
