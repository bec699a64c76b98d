/*
 * batched_gemm: many products of small matrices, one after the other.
 *
 * Each fits into the first cache, so there is nothing to tile; the time goes into loops of 16 turns and into
 * sums that wait for themselves. In the order i, k, j the innermost loop runs along rows of B and C and
 * becomes vectors; unrolling by blocks keeps C in registers.
 *
 * 20000 products of 16 x 16.
 */
#pragma inflight kernel
#pragma inflight set batch = 20000
#pragma inflight set n = 16
#pragma inflight buffer C = zero
#pragma inflight flops 2 * batch * n * n * n
void batched_gemm(int batch, int n, double C[restrict batch][n][n], const double A[restrict batch][n][n],
		  const double B[restrict batch][n][n])
{
	for (int b = 0; b < batch; b++)
		for (int i = 0; i < n; i++)
			for (int j = 0; j < n; j++)
				for (int k = 0; k < n; k++)
					C[b][i][j] += A[b][i][k] * B[b][k][j];
}
