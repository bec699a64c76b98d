/*
 * hash_join: the probing half of a join: each row of one table looks for its key in the hash table of the other.
 *
 * A bucket is a line: eight keys, all compared, the sum of the payloads of those that match. The bucket's
 * number is given by the row's hash; it lies anywhere in a table that no cache holds, and some thirty
 * instructions wait for it. Probes are independent of each other: prefetching buckets some rows ahead is
 * what makes databases fast here.
 *
 * 2^22 probes into 2^21 buckets of 8 keys and 8 payloads (128 MiB).
 */
#pragma inflight kernel
#pragma inflight set n = 4194304
#pragma inflight set buckets = 2097152
#pragma inflight buffer hash = index(buckets)
#pragma inflight buffer want = uniform(0, 1000)
#pragma inflight buffer key = uniform(0, 1000)
#pragma inflight buffer payload = uniform(0, 1000)
#pragma inflight flops 0
void hash_join(long n, long buckets, long found[restrict n], const int hash[restrict n], const int want[restrict n],
	       const int key[restrict buckets][8], const int payload[restrict buckets][8])
{
	for (long i = 0; i < n; i++) {
		long sum = 0;
		for (int s = 0; s < 8; s++)
			sum += key[hash[i]][s] == want[i] ? payload[hash[i]][s] : 0;
		found[i] = sum;
	}
}
