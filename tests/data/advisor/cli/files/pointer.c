#pragma inflight set n = 100
void pointer(int n, int m, double *a)
{
	for (int i = 0; i < n; i++)
		a[i ^ m] += 1;
}
