void kernel(int n, double *a, double *b, double *c, double x[restrict n], double y[restrict n], int *p)
{
    (void)a, (void)b, (void)c, (void)p;
    for (int t = 0; t < 3; t++) {
        for (int i = 1; i < n - 1; i++)
            y[i] = 0.33333 * (x[i - 1] + x[i] + x[i + 1]);
        for (int i = 1; i < n - 1; i++)
            x[i] = 0.33333 * (y[i - 1] + y[i] + y[i + 1]);
    }
}
