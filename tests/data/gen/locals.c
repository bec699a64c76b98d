/* Arrays and scalars of an iteration. */
void kernel(int n, double *restrict a, double *restrict b, double *c, double *restrict x, double *restrict y, int *p)
{
    (void)c, (void)p;
    for (int i = 0; i < n; i++) {
        double t[4], s = 0.0;
        for (int k = 0; k < 4; k++)
            t[k] = x[i] * (k + 1);
        for (int k = 0; k < 4; k++)
            s += t[3 - k] / (k + 1);
        y[i] = s;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double row[n];
            for (int k = 0; k < n; k++)
                row[k] = x[k] + a[i * n + j];
            for (int k = 0; k < n; k++)
                b[i * n + j] += row[n - 1 - k] * y[k];
        }
}
