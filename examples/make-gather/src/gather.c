/* Sums up what a table says of each key: a load from anywhere for every key, which no hardware prefetcher sees coming. */
#pragma inflight kernel
void gather(long n, long m, double out[n], const double table[m], const int key[n])
{
    for (long i = 0; i < n; i++)
        out[i] += 0.5 * table[key[i]];
}
