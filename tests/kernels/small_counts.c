/*
 * small_counts: Counts of byte values: the table is in the first cache, increments of the same one
 * wait for each other.
 */
#pragma inflight kernel
#pragma inflight set n = 30000000
#pragma inflight buffer byte = index(256)
#pragma inflight buffer count = zero
void small_counts(long n, unsigned count[restrict 256], const unsigned char byte[restrict n])
{
    for (long i = 0; i < n; i++)
        count[byte[i]]++;
}
