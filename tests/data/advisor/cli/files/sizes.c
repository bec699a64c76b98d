#pragma inflight set n = 64k, m = 1e3
void sizes(int n, int m, double *a)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i] += j;
}
