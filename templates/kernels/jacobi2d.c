/*
 * jacobi2d: five points in two dimensions, many steps in time.
 *
 * Each step goes once over both grids, so where no cache holds them a step costs what their transfer costs,
 * however little is computed. Tiling in time (skewed, or else it is not legal) takes several steps with a
 * block before it leaves the cache.
 *
 * Two grids of 50 MiB, 20 steps.
 */
#pragma inflight kernel
#pragma inflight set n = 2560
#pragma inflight set steps = 20
#pragma inflight flops 10 * (n - 2) * (n - 2) * steps
void jacobi2d(int n, int steps, double a[restrict n][n], double b[restrict n][n])
{
	for (int t = 0; t < steps; t++) {
		for (int i = 1; i < n - 1; i++)
			for (int j = 1; j < n - 1; j++)
				b[i][j] = 0.2 * (a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
		for (int i = 1; i < n - 1; i++)
			for (int j = 1; j < n - 1; j++)
				a[i][j] = 0.2 * (b[i][j] + b[i - 1][j] + b[i + 1][j] + b[i][j - 1] + b[i][j + 1]);
	}
}
