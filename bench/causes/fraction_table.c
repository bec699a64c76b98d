/* A continued fraction whose numerators lie in the L1 cache. */
#pragma inflight kernel
#pragma inflight set rounds = 2000
#pragma inflight set n = 2048
double fraction_table(int rounds, int n, const double a[restrict n])
{
    double x = 1;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            x = 1.0 + a[i] / x;
    return x;
}
