void kernel(int n, double a[restrict n][n], double b[restrict n][n], double *c, double x[restrict n], double *y, int *p)
{
    (void)c, (void)y, (void)p;
    for (int i = n - 1; i >= 0; i--)
        for (int j = 1; j < n; j += 2)
            a[i][j] = b[i][j] * 2.0 + a[i][j - 1] + x[j];
    for (int i = n - 1; i > 2; i -= 3)
        for (int j = 0; j < i; j++)
            b[i][j] = b[i - 1][j] + x[i];
}
