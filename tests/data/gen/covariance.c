void kernel(int n, double a[restrict n][n], double b[restrict n][n], double *c, double x[restrict n], double *y, int *p)
{
    (void)c, (void)y, (void)p;
    for (int j = 0; j < n; j++) {
        x[j] = 0.0;
        for (int i = 0; i < n; i++)
            x[j] += a[i][j];
        x[j] /= n;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] -= x[j];
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) {
            b[i][j] = 0.0;
            for (int k = 0; k < n; k++)
                b[i][j] += a[k][i] * a[k][j];
            b[j][i] = b[i][j];
        }
}
