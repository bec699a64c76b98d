#pragma inflight set n = 100
void extent(int n, double *a, const int *idx)
{
	for (int i = 0; i < n; i++)
		a[idx[i]] += 1;
}
