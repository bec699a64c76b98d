/*
 * walsh_hadamard: the Walsh-Hadamard transform of a vector, rounds from far to near.
 *
 * Sums and differences only, no table: two reads, two writes and two operations a butterfly, as little
 * arithmetic as a transform can have. Each round streams through all of memory; distances are powers of two.
 *
 * 2^23 numbers (64 MiB), scaled by 1/2 a round.
 */
#pragma inflight kernel
#pragma inflight set n = 8388608
#pragma inflight set rounds = 6
#pragma inflight buffer a length n
#pragma inflight flops 2 * n * rounds
void walsh_hadamard(long n, int rounds, double *restrict a)
{
	long half = n / 2;

	for (int round = 0; round < rounds && half > 0; round++) {
		for (long base = 0; base + 2 * half <= n; base += 2 * half)
			for (long k = base; k < base + half; k++) {
				double u = a[k], v = a[k + half];

				a[k] = 0.5 * (u + v);
				a[k + half] = 0.5 * (u - v);
			}
		half /= 2;
	}
}
