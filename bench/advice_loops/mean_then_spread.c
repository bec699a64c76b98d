/* After textbooks' standard deviation: two sums over the same numbers, one pass after
 * the other. Known remedy: several sums side by side, in both passes. */
#pragma inflight kernel
#pragma inflight set rounds = 40
#pragma inflight set n = 100000
double mean_then_spread(int rounds, int n, const double a[restrict n])
{
    double all = 0;
    for (int r = 0; r < rounds; r++) {
        double mean = 0, spread = 0;
        for (int i = 0; i < n; i++)
            mean += a[i];
        mean /= n + 1;
        for (int i = 0; i < n; i++)
            spread += (a[i] - mean) * (a[i] - mean);
        all = 0.5 * all + spread;
    }
    return all;
}

enum { SIDE = 32 };

double hand(int rounds, int n, const double a[restrict n])
{
    double all = 0;
    for (int r = 0; r < rounds; r++) {
        double part[SIDE] = {0}, other[SIDE] = {0}, mean = 0, spread = 0;
        int i = 0;
        for (; i + SIDE <= n; i += SIDE)
            for (int v = 0; v < SIDE; v++)
                part[v] += a[i + v];
        for (; i < n; i++)
            mean += a[i];
        for (int v = 0; v < SIDE; v++)
            mean += part[v];
        mean /= n + 1;
        for (i = 0; i + SIDE <= n; i += SIDE)
            for (int v = 0; v < SIDE; v++)
                other[v] += (a[i + v] - mean) * (a[i + v] - mean);
        for (; i < n; i++)
            spread += (a[i] - mean) * (a[i] - mean);
        for (int v = 0; v < SIDE; v++)
            spread += other[v];
        all = 0.5 * all + spread;
    }
    return all;
}
