void kernel(int n, double *restrict a, double b[restrict n][n], double *c, double x[restrict n], double y[restrict n], int p[restrict n])
{
    (void)c;
    for (int i = 0; i < n; i++) {
        int q = p[i];
        a[q] += x[i];
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[i][j] = y[p[j]] * x[i] + b[i][j];
}
