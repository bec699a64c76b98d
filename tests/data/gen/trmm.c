void kernel(int n, double a[restrict n][n], double b[restrict n][n], double *c, double *x, double *y, int *p)
{
    (void)c, (void)x, (void)y, (void)p;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = i + 1; k < n; k++)
                b[i][j] += a[k][i] * b[k][j];
}
