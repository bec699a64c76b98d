/*
 * threshold_store: A condition on the data: the statement is done or not.
 */
#pragma inflight kernel
#pragma inflight set n = 15000000
#pragma inflight set limit = 1.0
void threshold_store(long n, double limit, double out[restrict n], const double in[restrict n])
{
    for (long i = 0; i < n; i++)
        if (in[i] > limit)
            out[i] = in[i] - limit;
}
