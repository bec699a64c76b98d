/* The kernel of the reports in this folder: it is parsed, never run. */
#pragma inflight kernel
#pragma inflight set n = 1000
#pragma inflight set m = 4000
#pragma inflight buffer idx = index(m)
void gather(int n, int m, double out[restrict n], const double table[restrict m], const int idx[restrict n])
{
	for (int i = 0; i < n; i++)
		out[i] = 2 * table[idx[i]];
}
