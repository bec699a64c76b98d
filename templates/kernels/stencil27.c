/*
 * stencil27: one sweep of the 27-point stencil of MiniGhost over a cube.
 *
 * Every point is the mean of itself and its 26 neighbours. Three planes of the input have to stay near
 * for each of them to be fetched once: 3 n^2 elements. Where a cache does not hold them, tiling j (and k)
 * brings the planes back; what is left is the bandwidth of one read and one written grid.
 *
 * n = 256: grids of 128 MiB, planes of 512 KiB.
 */
#pragma inflight kernel
#pragma inflight set n = 256
#pragma inflight buffer out = zero
#pragma inflight flops 27 * (n - 2) * (n - 2) * (n - 2)
void stencil27(int n, double out[restrict n][n][n], const double in[restrict n][n][n])
{
	for (int i = 1; i < n - 1; i++)
		for (int j = 1; j < n - 1; j++)
			for (int k = 1; k < n - 1; k++)
				out[i][j][k] = (in[i - 1][j - 1][k - 1] + in[i - 1][j - 1][k] + in[i - 1][j - 1][k + 1] +
						in[i - 1][j][k - 1] + in[i - 1][j][k] + in[i - 1][j][k + 1] +
						in[i - 1][j + 1][k - 1] + in[i - 1][j + 1][k] + in[i - 1][j + 1][k + 1] +
						in[i][j - 1][k - 1] + in[i][j - 1][k] + in[i][j - 1][k + 1] +
						in[i][j][k - 1] + in[i][j][k] + in[i][j][k + 1] +
						in[i][j + 1][k - 1] + in[i][j + 1][k] + in[i][j + 1][k + 1] +
						in[i + 1][j - 1][k - 1] + in[i + 1][j - 1][k] + in[i + 1][j - 1][k + 1] +
						in[i + 1][j][k - 1] + in[i + 1][j][k] + in[i + 1][j][k + 1] +
						in[i + 1][j + 1][k - 1] + in[i + 1][j + 1][k] + in[i + 1][j + 1][k + 1]) / 27.0;
}
