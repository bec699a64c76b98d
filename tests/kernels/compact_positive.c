/*
 * compact_positive: What passes is put side by side: the place depends on all before.
 */
#pragma inflight kernel
#pragma inflight set n = 10000000
#pragma inflight buffer in = uniform(-1, 1)
#pragma inflight buffer out length n
long compact_positive(long n, double *restrict out, const double in[restrict n])
{
    long kept = 0;
    for (long i = 0; i < n; i++)
        if (in[i] > 0)
            out[kept++] = in[i];
    return kept;
}
