/* A geometric sum by Horner's rule: a multiplication and an addition wait for those
 * before; no memory. */
#pragma inflight kernel
#pragma inflight set n = 10000000
#pragma inflight set x = 0.96875
#pragma inflight set c = 0.25
double horner_bare(long n, double x, double c)
{
    double s = 0;
    for (long i = 0; i < n; i++)
        s = s * x + c;
    return s;
}

/* Four terms at once. */
double remedy(long n, double x, double c)
{
    double s = 0, x2 = x * x, x4 = x2 * x2, four = (c * x + c) * x2 + (c * x + c);
    long i = 0;
    for (; i + 3 < n; i += 4)
        s = s * x4 + four;
    for (; i < n; i++)
        s = s * x + c;
    return s;
}
