/* Neighbouring nests as in STREAM, with other bounds and names. */
void kernel(int n, double *restrict a, double *restrict b, double *restrict c, double *restrict x, double *restrict y, int *p)
{
    (void)p;
    for (int i = 0; i < n; i++)
        x[i] = a[i] + 3.0 * b[i];
    for (int i = 0; i < n; i++)
        y[i] = x[i] * c[i];

    for (int i = 2; i < n - 1; i++)
        a[i] = y[i] - 1.0;
    for (int k = 1; k < n; k++)
        b[k] = a[k - 1] + x[k];
}
