void gather(long n, long m, const int *idx, const double *table, double *restrict y)
{
    for (long i = 0; i < n; i++)
        y[i] += table[idx[i]];
}
