void kernel(int n, double a[restrict n][n], double *b, double c[restrict n][n], double *x, double *y, int *p)
{
    (void)b, (void)x, (void)y, (void)p;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++)
            c[i][j] *= 0.7;
        for (int k = 0; k < n; k++)
            for (int j = 0; j <= i; j++)
                c[i][j] += 1.5 * a[i][k] * a[j][k];
    }
}
