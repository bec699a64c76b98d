/*
 * resort3d: the re-sort between two passes of a three-dimensional FFT: complex numbers from (i, j, k) to
 * (k, i, j).
 *
 * Reads run along memory, writes jump by a plane: each store touches another line and another page. Blocks of
 * j and k, or of i and k, use up the lines while they are near. Real and imaginary parts lie side by side,
 * so a line holds four numbers.
 *
 * 200^3 numbers: 122 MiB each way.
 */
#pragma inflight kernel
#pragma inflight set n = 200
#pragma inflight flops 0
void resort3d(int n, double out[restrict n][n][n][2], const double in[restrict n][n][n][2])
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			for (int k = 0; k < n; k++) {
				out[k][i][j][0] = in[i][j][k][0];
				out[k][i][j][1] = in[i][j][k][1];
			}
}
