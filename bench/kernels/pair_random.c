/* For bench/pairs: a quarter of a million reads all over 128 MiB. */
#pragma inflight kernel
#pragma inflight set n = 262144
#pragma inflight set m = 16777216
#pragma inflight buffer idx = index(m)
#pragma inflight buffer out length 1
void pair_random(long n, long m, double *restrict out, const double table[m],
                 const int idx[n])
{
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += table[idx[i]];
    out[0] = sum;
}
