/* A product of numbers that lie in the L1 cache. */
#pragma inflight kernel
#pragma inflight set rounds = 4000
#pragma inflight set n = 2048
#pragma inflight buffer a = uniform(0.99999, 1.00001)
double product_array(long rounds, long n, const double a[restrict n])
{
    double p = 1;
    for (long r = 0; r < rounds; r++)
        for (long i = 0; i < n; i++)
            p *= a[i];
    return p;
}

/* Eight products side by side. */
double remedy(long rounds, long n, const double a[restrict n])
{
    double p[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    for (long r = 0; r < rounds; r++) {
        long i = 0;
        for (; i + 7 < n; i += 8)
            for (long k = 0; k < 8; k++)
                p[k] *= a[i + k];
        for (; i < n; i++)
            p[0] *= a[i];
    }
    return ((p[0] * p[1]) * (p[2] * p[3])) * ((p[4] * p[5]) * (p[6] * p[7]));
}
