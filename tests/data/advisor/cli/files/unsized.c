void unsized(int n, double a[restrict n], const double b[restrict n])
{
	for (int i = 0; i < n; i++)
		a[i] = 2 * b[i];
}
