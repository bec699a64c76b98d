/*
 * gather: look up table[idx[i]], then compute on what was found.
 *
 * The look-ups are independent of each other, but some fifty operations wait for each of them: a
 * polynomial of degree 25 in x, its even and its odd powers by Horner's rule side by side. Waiting operations
 * fill the core's instruction window, so only a few look-ups are under way at any time and the
 * miss queue stays nearly empty. All it takes is more misses in flight: prefetch table[idx[i + d]].
 *
 * There is no restrict on purpose: out might overlap table for all the compiler knows, so it does not
 * vectorize, which is how such loops are mostly met. A prefetch does not need the promise.
 *
 * 2^23 look-ups in a table of 2^27 doubles (1 GiB).
 */
#pragma inflight kernel
#pragma inflight set n = 8388608
#pragma inflight set m = 134217728
#pragma inflight buffer idx = index(m)
#pragma inflight buffer table = uniform(-1, 1)
#pragma inflight flops 51 * n
void gather(long n, long m, double out[n], const double table[m], const int idx[n])
{
	for (long i = 0; i < n; i++) {
		double x = table[idx[i]];
		double z = x * x;
		double p = 0.11;
		double q = -0.07;

		p = p * z + 0.16; q = q * z - 0.11;
		p = p * z + 0.21; q = q * z - 0.15;
		p = p * z + 0.26; q = q * z - 0.19;
		p = p * z + 0.31; q = q * z - 0.23;
		p = p * z + 0.36; q = q * z - 0.07;
		p = p * z + 0.41; q = q * z - 0.11;
		p = p * z + 0.11; q = q * z - 0.15;
		p = p * z + 0.16; q = q * z - 0.19;
		p = p * z + 0.21; q = q * z - 0.23;
		p = p * z + 0.26; q = q * z - 0.07;
		p = p * z + 0.31; q = q * z - 0.11;
		p = p * z + 0.36; q = q * z - 0.15;

		out[i] = p + q * x;
	}
}
