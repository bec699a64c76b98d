/* After textbooks' standard deviation: two sums over the same numbers, one pass after
 * the other. Known remedy: several sums side by side, in both passes. */
#pragma inflight kernel
#pragma inflight set n = 8000000
#pragma inflight buffer a = uniform(0, 1)
float mean_then_spread(int n, const float a[restrict n])
{
    float mean = 0, spread = 0;
    for (int i = 0; i < n; i++)
        mean += a[i];
    mean /= (float)(n + 1);
    for (int i = 0; i < n; i++)
        spread += (a[i] - mean) * (a[i] - mean);
    return spread;
}

enum { SIDE = 64 };

float hand(int n, const float a[restrict n])
{
    float part[SIDE] = {0}, other[SIDE] = {0}, mean = 0, spread = 0;
    int i = 0;
    for (; i + SIDE <= n; i += SIDE)
        for (int v = 0; v < SIDE; v++)
            part[v] += a[i + v];
    for (; i < n; i++)
        mean += a[i];
    for (int v = 0; v < SIDE; v++)
        mean += part[v];
    mean /= (float)(n + 1);
    for (i = 0; i + SIDE <= n; i += SIDE)
        for (int v = 0; v < SIDE; v++)
            other[v] += (a[i + v] - mean) * (a[i + v] - mean);
    for (; i < n; i++)
        spread += (a[i] - mean) * (a[i] - mean);
    for (int v = 0; v < SIDE; v++)
        spread += other[v];
    return spread;
}
