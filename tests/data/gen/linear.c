void kernel(int n, double *a, double *b, double *c, double *x, double *y, int *p)
{
    (void)x, (void)y, (void)p;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}
