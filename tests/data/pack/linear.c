void kernel(int n, int m, int l, double alpha, double *c, const double *a, const double *b)
{
    (void)alpha;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < l; k++)
                c[i * m + j] += a[i * l + k] * b[k * m + j];
}
