static inline double at(const double *v, int i, int n)
{
    return v[n - 1 - i];
}

void kernel(int n, double a[restrict n][n], double b[restrict n][n], double c[restrict n][n], double x[restrict n],
            double *y, int *p)
{
    (void)b, (void)c, (void)y, (void)p;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] += at(x, j, n);
}
