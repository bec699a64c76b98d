/* Two loops that a shift makes one: at its ends only one of them runs. */
void kernel(int n, double *restrict a, double *b, double *c, double x[restrict n], double y[restrict n], int p[restrict n])
{
    (void)a, (void)b, (void)c, (void)p;
    for (int i = 0; i < n; i++)
        x[i] = 2.0 * x[i] + 1.0;
    for (int k = 0; k < n - 1; k++)
        y[k] = x[k] + 3.0 * x[k + 1];
}
