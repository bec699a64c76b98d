void kernel(int n, int m, double **a, double **b, double **c, double *w)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] += b[i][j] * c[j][0] + w[j];
}
