/*
 * histogram: random increments over a table that no cache holds.
 *
 * Every update misses: it reads a line and makes it dirty, so a line is written back as well. The
 * updates are independent of each other, so the core can have many under way; with small pages each
 * of them needs a page walk too, and the walkers may be what is full before the miss queue is.
 *
 * 2^24 keys over 2^28 counts of 4 bytes (1 GiB).
 */
#pragma inflight kernel
#pragma inflight set n = 16777216
#pragma inflight set m = 268435456
#pragma inflight buffer key = index(m)
#pragma inflight buffer count = zero
#pragma inflight flops 0
void histogram(long n, long m, unsigned count[restrict m], const int key[restrict n])
{
	for (long i = 0; i < n; i++)
		count[key[i]]++;
}
