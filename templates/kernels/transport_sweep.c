/*
 * transport_sweep: transport along one diagonal, as in SNAP: loops over angles that are a handful long.
 *
 * The flux of a cell needs those of its left and lower neighbours, so cells come one after the other and
 * the parallel work is in the innermost loop, over the angles of an octant. It is short: what comes before
 * and after it (address arithmetic, the rest of a vector) costs as much as it does itself.
 *
 * 1000 x 1000 cells, 12 angles.
 */
#pragma inflight kernel
#pragma inflight set n = 1000
#pragma inflight set m = 1000
#pragma inflight set angles = 12
#pragma inflight buffer mu = uniform(0.1, 0.9)
#pragma inflight buffer eta = uniform(0.1, 0.9)
#pragma inflight flops 8 * n * m * angles
void transport_sweep(int n, int m, int angles, double scalar[restrict n][m], double left[restrict n][angles],
	   double below[restrict m][angles], const double source[restrict n][m], const double mu[restrict angles],
	   const double eta[restrict angles])
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < m; j++) {
			scalar[i][j] = 0;
			for (int a = 0; a < angles; a++) {
				double psi = (source[i][j] + mu[a] * left[i][a] + eta[a] * below[j][a]) / (2.0 + mu[a] + eta[a]);

				scalar[i][j] += psi;
				left[i][a] = psi;
				below[j][a] = psi;
			}
		}
}
