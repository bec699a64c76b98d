void kernel(int n, double a[restrict n][n], double *b, double *c, double *x, double *y, int *p)
{
    (void)b, (void)c, (void)x, (void)y, (void)p;
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++)
            a[i][k] = a[i][k] / (a[k][k] + 4.0);
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++)
                a[i][j] -= a[i][k] * a[k][j];
    }
}
