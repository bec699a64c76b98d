void kernel(int n, double a[restrict n][n], double b[restrict n][n], double *c, double x[restrict n], double y[restrict n], int *p)
{
    int i, j;
    double s, scale = 2.0;
    (void)c, (void)p;
    for (i = 0; i < n; i++) {
        s = 0;
        for (j = 0; j < n; j++)
            s += a[i][j] * x[j];
        y[i] += s * scale;
    }
    x[0] = y[0];
    for (j = 0; j < n; j++)
        for (i = 0; i < n; i++)
            b[j][i] = a[i][j] + y[j];
}
