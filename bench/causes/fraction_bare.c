/* Eight continued fractions, one after the other: each division waits for the one before;
 * no memory. */
#pragma inflight kernel
#pragma inflight set n = 1000000
#pragma inflight set a = 1.25
double fraction_bare(long n, double a)
{
    double sum = 0;
    for (long k = 0; k < 8; k++) {
        double x = 1.0 + (double)k;
        for (long i = 0; i < n; i++)
            x = 1.0 + a / x;
        sum += x;
    }
    return sum;
}

/* All eight at once. */
double remedy(long n, double a)
{
    double sum = 0, x[8];
    for (long k = 0; k < 8; k++)
        x[k] = 1.0 + (double)k;
    for (long i = 0; i < n; i++)
        for (long k = 0; k < 8; k++)
            x[k] = 1.0 + a / x[k];
    for (long k = 0; k < 8; k++)
        sum += x[k];
    return sum;
}
