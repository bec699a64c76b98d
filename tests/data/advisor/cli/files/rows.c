#pragma inflight set n = 100
void rows(int n, double **a, double *x)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x[i] += a[i][j];
}
