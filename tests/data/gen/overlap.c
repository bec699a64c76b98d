/* No restrict anywhere: the arrays may overlap, and in the test they do. */
void kernel(int n, double *a, double *b, double *c, double *x, double *y, int *p)
{
    (void)b, (void)c, (void)p;
    for (int i = 0; i < n; i++)
        for (int j = 1; j < n; j++)
            x[j] = y[j - 1] * 0.5 + a[i];
}
