/*
 * fft: rounds of a radix-2 transform over the whole array, decimation in frequency.
 *
 * Every round crosses the data once: log2(n) passes over memory when no cache holds it. The two halves of
 * a butterfly lie n / 2, n / 4 ... apart, always a power of two, so in the first rounds they even fight for
 * the same sets of a cache. Compare fft_blocked.c.
 *
 * 2^20 complex numbers, real and imaginary parts apart (16 MiB). `rounds` of them are done. The factors are
 * scaled by 1/2 so that repeated calls stay in range.
 */
#pragma inflight kernel
#pragma inflight set n = 1048576
#pragma inflight set rounds = 20
#pragma inflight buffer re length n
#pragma inflight buffer im length n
#pragma inflight buffer wr = uniform(-0.7, 0.7)
#pragma inflight buffer wr length n / 2 + 1
#pragma inflight buffer wi = uniform(-0.7, 0.7)
#pragma inflight buffer wi length n / 2 + 1
#pragma inflight flops 10 * (n / 2) * rounds
void fft(long n, int rounds, double *restrict re, double *restrict im, const double *restrict wr,
	 const double *restrict wi)
{
	long half = n / 2, step = 1;

	for (int round = 0; round < rounds && half > 0; round++) {
		for (long base = 0; base + 2 * half <= n; base += 2 * half)
			for (long k = 0; k < half; k++) {
				long a = base + k, b = a + half;
				double ur = re[a] - re[b], ui = im[a] - im[b];

				re[a] = 0.5 * (re[a] + re[b]);
				im[a] = 0.5 * (im[a] + im[b]);
				re[b] = 0.5 * (ur * wr[k * step] - ui * wi[k * step]);
				im[b] = 0.5 * (ur * wi[k * step] + ui * wr[k * step]);
			}
		half /= 2;
		step *= 2;
	}
}
