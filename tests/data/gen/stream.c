void kernel(int n, double a[restrict n][n], double b[restrict n][n], double c[restrict n][n], double x[restrict n], double *y, int *p)
{
	(void)p;
	for (int i = 0; i < n; i++)
		y[i] = x[i] * 2.5 + 1.0;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			a[i][j] = c[i][j] + x[j];
			b[i][j] = c[i][j] * x[i];
		}
}
