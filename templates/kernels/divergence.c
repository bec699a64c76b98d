/*
 * divergence: the divergence of the velocity at the zones of an unstructured mesh, from its corners, as in
 * PENNANT.
 *
 * Every zone has four corners; each corner names a point, whose position and velocity are looked up. Four
 * look-ups a corner, of which those of one point lie in four arrays: four lines for 32 bytes. The meshes of
 * the field are numbered so that neighbours are mostly near; here the points lie anywhere.
 *
 * 2^20 zones over 2^22 points.
 */
#pragma inflight kernel
#pragma inflight set zones = 1048576
#pragma inflight set points = 4194304
#pragma inflight buffer corner = index(points)
#pragma inflight buffer x = uniform(-1, 1)
#pragma inflight buffer y = uniform(-1, 1)
#pragma inflight buffer u = uniform(-1, 1)
#pragma inflight buffer v = uniform(-1, 1)
#pragma inflight flops 48 * zones
void divergence(long zones, long points, double div[restrict zones], const int corner[restrict zones][4],
		const double x[restrict points], const double y[restrict points], const double u[restrict points],
		const double v[restrict points])
{
	for (long z = 0; z < zones; z++) {
		double flow = 0, area = 4;
		for (int c = 0; c < 4; c++) {
			int a = corner[z][c], b = corner[z][(c + 1) % 4];

			flow += 0.5 * ((u[a] + u[b]) * (y[b] - y[a]) - (v[a] + v[b]) * (x[b] - x[a]));
			area += 0.5 * (x[a] * y[b] - x[b] * y[a]);
		}
		div[z] = flow / (area * area + 1.0);
	}
}
