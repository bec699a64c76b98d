/* A sum of numbers that lie in the L1 cache: each addition waits for the one before. */
#pragma inflight kernel
#pragma inflight set rounds = 8000
#pragma inflight set n = 2048
double sum_cached(int rounds, int n, const double a[restrict n])
{
    double sum = 0;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            sum += a[i];
    return sum;
}

/* Eight sums side by side. */
double remedy(int rounds, int n, const double a[restrict n])
{
    double s[8] = {0};
    for (int r = 0; r < rounds; r++) {
        int i = 0;
        for (; i + 7 < n; i += 8)
            for (int k = 0; k < 8; k++)
                s[k] += a[i + k];
        for (; i < n; i++)
            s[0] += a[i];
    }
    return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}
