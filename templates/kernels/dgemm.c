/*
 * dgemm: C = C + A * B, written as in the textbook.
 *
 * The inner loop walks down a column of B: a new line for every multiplication. Almost everything
 * can be gained here and nearly every transformation has a part in it: interchange (rows of B
 * instead of columns), tiling (reuse from a cache), unroll-and-jam (reuse from registers), simd.
 */
#pragma inflight kernel
#pragma inflight set n = 1024
#pragma inflight buffer A = uniform(-1, 1)
#pragma inflight buffer B = uniform(-1, 1)
#pragma inflight buffer C = zero
#pragma inflight flops 2 * n * n * n
void dgemm(int n, double C[restrict n][n], const double A[restrict n][n], const double B[restrict n][n])
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			for (int k = 0; k < n; k++)
				C[i][j] += A[i][k] * B[k][j];
}
