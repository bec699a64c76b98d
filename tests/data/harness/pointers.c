#pragma inflight set n = 100
void rows(int n, double **a)
{
    for (int i = 0; i < n; i++)
        a[i] = a[0];
}
