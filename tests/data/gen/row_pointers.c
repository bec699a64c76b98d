void kernel(int n, double **a, double **b, double ***u, unsigned char **g, double *y)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] += b[j][i];
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            for (int k = 0; k < n; k++)
                u[i][j][k] += u[i - 1][j][k] - u[i][j - 1][k];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            g[i][j] += 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            y[j] += a[i][j];
}
