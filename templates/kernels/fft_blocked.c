/*
 * fft_blocked: the later rounds of a radix-2 transform, one block of the array after the other.
 *
 * The counterpart of fft.c: once butterflies are no further apart than a block, all rounds that are left can
 * be done with a block while it is in the first cache. Memory is crossed once for all of them; what is left is
 * arithmetic and strided access within the cache.
 *
 * 4096 blocks of 2^9 complex numbers (8 KiB); nine rounds each.
 */
#pragma inflight kernel
#pragma inflight set blocks = 4096
#pragma inflight set w = 512
#pragma inflight buffer wr = uniform(-0.7, 0.7)
#pragma inflight buffer wi = uniform(-0.7, 0.7)
#pragma inflight flops 45 * blocks * w
void fft_blocked(int blocks, int w, double re[restrict blocks][w], double im[restrict blocks][w],
		 const double wr[restrict w], const double wi[restrict w])
{
	for (int b = 0; b < blocks; b++)
		for (int half = w / 2; half > 0; half /= 2)
			for (int base = 0; base + 2 * half <= w; base += 2 * half)
				for (int k = base; k < base + half; k++) {
					double ur = re[b][k] - re[b][k + half], ui = im[b][k] - im[b][k + half];
					double c = wr[k - base], s = wi[k - base];

					re[b][k] = 0.5 * (re[b][k] + re[b][k + half]);
					im[b][k] = 0.5 * (im[b][k] + im[b][k + half]);
					re[b][k + half] = 0.5 * (ur * c - ui * s);
					im[b][k + half] = 0.5 * (ur * s + ui * c);
				}
}
