void kernel(int n, double a[restrict n][n], double b[restrict n][n], double *c, double *x, double *y, int *p)
{
    double s[n][n], t[n][n];
    (void)c, (void)x, (void)y, (void)p;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            t[i][j] = a[i][j] + 1.0;
            s[i][j] = a[i][j] * b[i][j];
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[i][j] = t[i][j] * s[i][j];
}
