/*
 * transpose: B = A^T, out of place.
 *
 * A is read along its rows, B is written down its columns. Each store touches another row of B, hence
 * another line and another page; by the time the next element of that line is due, the line is gone.
 * Tiling both loops makes the line be used up while it is near.
 *
 * n = 6000: two matrices of 275 MiB, and a row length that is not a power of two, so that what is seen
 * is the traffic and not the conflicts within a cache set.
 */
#pragma inflight kernel
#pragma inflight set n = 6000
#pragma inflight buffer A = uniform(-1, 1)
#pragma inflight flops 0
void transpose(int n, double B[restrict n][n], const double A[restrict n][n])
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			B[j][i] = A[i][j];
}
