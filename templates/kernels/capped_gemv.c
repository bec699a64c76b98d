/*
 * capped_gemv: matrix times vector, at most `cap` columns of each row.
 *
 * Every element of the matrix is used once, so this is a stream and its limit is memory, whatever is done;
 * but the rows that are cut off leave gaps of a few lines, at each of which the hardware prefetchers start
 * anew. A prefetch in software does not have to find out.
 *
 * 40000 rows of 640 elements, of which 512 count.
 */
#pragma inflight kernel
#pragma inflight set n = 40000
#pragma inflight set m = 640
#pragma inflight set cap = 512
#pragma inflight flops 2 * n * cap
void capped_gemv(int n, int m, int cap, double y[restrict n], const double A[restrict n][m],
		 const double x[restrict m])
{
	for (int i = 0; i < n; i++) {
		double sum = 0;
		for (int j = 0; j < (cap < m ? cap : m); j++)
			sum += A[i][j] * x[j];
		y[i] = sum;
	}
}
