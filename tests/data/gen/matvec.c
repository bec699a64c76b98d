void kernel(int n, double a[restrict n][n], double *b, double *c, double x[restrict n], double y[restrict n], int *p)
{
    (void)b, (void)c, (void)p;
    for (int i = 0; i < n; i++) {
        double s = 0.0;
        for (int j = 0; j < n; j++)
            s += a[i][j] * x[j];
        y[i] = y[i] + s;
    }
}
