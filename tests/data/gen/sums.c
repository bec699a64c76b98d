/* Rows whose length is a sum. */
void kernel(int n, double *restrict a, double *b, double *restrict c, double *x, double *y, int *p)
{
    (void)y, (void)p;
    for (int j = 0; j < n - 1; j++)
        for (int i = 0; i < n; i++)
            a[i * (n - 1) + j] += b[i * (n - 1) + j] * x[i];
    for (int i = 1; i < n; i++)
        for (int j = 0; j < n - 2; j++)
            c[i * (n - 1) + j] += c[(i - 1) * (n - 1) + j + 1] + a[(n - 1) * i + n - 2 - j];
}
