/*
 * scatter_records: Values put into the order of a permutation, after some work on each.
 */
#pragma inflight kernel
#pragma inflight set n = 6000000
#pragma inflight buffer place = permutation
#pragma inflight buffer out length n
void scatter_records(long n, double *restrict out, const int place[restrict n], const double in[restrict n])
{
    for (long i = 0; i < n; i++)
        out[place[i]] = in[i] / (1.0 + in[i] * in[i]) + 1.0 / (2.0 + in[i]);
}
