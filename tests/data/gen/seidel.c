void kernel(int n, double a[restrict n][n], double *b, double *c, double *x, double *y, int *p)
{
    (void)b, (void)c, (void)x, (void)y, (void)p;
    for (int t = 0; t < 2; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j <= n - 2; ++j)
                a[i][j] = (a[i - 1][j] + a[i][j - 1] + a[i][j] + a[i][j + 1] + a[i + 1][j]) * 0.2;
}
