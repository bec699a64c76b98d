void kernel(int n, double a[restrict n][n], double b[restrict n][n], double *c, double x[restrict n], double *y, int *p)
{
    (void)c, (void)y, (void)p;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (i < j)
                a[i][j] = b[j][i] + 1.0;
            else if (i == j)
                a[i][j] = x[i];
            else
                a[i][j] -= b[i][j];
        }
}
