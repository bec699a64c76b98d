void first(int n, double a[n])
{
	for (int i = 0; i < n; i++)
		a[i] = i;
}
void second(int n, double a[n])
{
	for (int i = 0; i < n; i++)
		a[i] *= 2;
}
