/* What the application spends most of its time in. */
#pragma inflight kernel
#pragma inflight set n = 1500
#pragma inflight buffer a = uniform(-1, 1)
#pragma inflight flops 0
void turn(int n, double b[restrict n][n], const double a[restrict n][n])
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			b[j][i] = a[i][j];
}
