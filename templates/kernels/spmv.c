/*
 * spmv: sparse matrix times vector in compressed rows, as in HPCG.
 *
 * Values and column numbers are streams that the hardware prefetchers know well; the vector is read
 * wherever the columns say. Rows are short, so the inner loop ends before the core has found much to
 * overlap, and each end is a branch that is missed now and then. A prefetch of x[column[k + d]] runs across
 * the ends of rows.
 *
 * 2^20 rows of 27 entries on average; here the columns lie anywhere, which is the worst order a mesh can
 * have been numbered in.
 */
#pragma inflight kernel
#pragma inflight set rows = 1048576
#pragma inflight set columns = 16777216
#pragma inflight buffer start = offsets(27)
#pragma inflight buffer column = index(columns)
#pragma inflight buffer column length 27 * rows
#pragma inflight buffer value length 27 * rows
#pragma inflight flops 54 * rows
void spmv(int rows, int columns, double y[restrict rows], const int start[restrict rows + 1],
	  const int *restrict column, const double *restrict value, const double x[restrict columns])
{
	for (int r = 0; r < rows; r++) {
		double sum = 0;
		for (int k = start[r]; k < start[r + 1]; k++)
			sum += value[k] * x[column[k]];
		y[r] = sum;
	}
}
