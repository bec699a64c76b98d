/*
 * triad: a = b + s * c, the loop every bandwidth benchmark runs.
 *
 * Three long streams and almost no arithmetic, so the only question is how many lines the hardware
 * prefetchers keep in flight and whether the store of a[] has to read its line first.
 *
 * Three arrays of 1 GiB: far beyond any cache.
 */
#pragma inflight kernel
#pragma inflight set n = 134217728
#pragma inflight set s = 3.0
#pragma inflight buffer b = uniform(0, 1)
#pragma inflight buffer c = uniform(0, 1)
#pragma inflight flops 2 * n
void triad(long n, double s, double *restrict a, const double *restrict b, const double *restrict c)
{
	for (long i = 0; i < n; i++)
		a[i] = b[i] + s * c[i];
}
