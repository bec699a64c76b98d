/*
 * embedded_atom: densities of atoms from those in the neighbouring cells, as the first force loop of
 * CoMD's embedded-atom potential.
 *
 * Atoms are kept by cells of at most `most`; each is set against all atoms of 27 cells, and pairs beyond
 * the cutoff count for nothing. For a near pair the density comes from a table by linear interpolation. The
 * working set of a cell is a few KiB, so this is arithmetic and branches, with a table that the first cache
 * holds: hardly any misses in flight, and not for want of queues.
 *
 * 4096 cells of 16 atoms. A cell's neighbours are given by number.
 */
#pragma inflight kernel
#pragma inflight set cells = 4096
#pragma inflight set most = 16
#pragma inflight buffer neighbour = index(cells)
#pragma inflight buffer x = uniform(0, 2)
#pragma inflight buffer y = uniform(0, 2)
#pragma inflight buffer z = uniform(0, 2)
#pragma inflight buffer rho = zero
void embedded_atom(int cells, int most, double rho[restrict cells][most], const int neighbour[restrict cells][27],
		   const double x[restrict cells][most], const double y[restrict cells][most],
		   const double z[restrict cells][most], const double table[restrict 257])
{
	for (int c = 0; c < cells; c++)
		for (int a = 0; a < most; a++) {
			double sum = 0;
			for (int k = 0; k < 27; k++)
				for (int b = 0; b < most; b++) {
					double dx = x[c][a] - x[neighbour[c][k]][b];
					double dy = y[c][a] - y[neighbour[c][k]][b];
					double dz = z[c][a] - z[neighbour[c][k]][b];
					double r2 = dx * dx + dy * dy + dz * dz;

					if (r2 < 1.0) {
						int at = (int)(r2 * 256.0);
						double part = r2 * 256.0 - at;
						sum += table[at] + part * (table[at + 1] - table[at]);
					}
				}
			rho[c][a] = sum;
		}
}
