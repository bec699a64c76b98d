/* Loops with continue, and a loop behind a label. */
void kernel(int n, double *restrict a, double *restrict b, double *c, double *restrict x, double *restrict y, int *p)
{
    (void)c, (void)p;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            if (i == j)
                continue;
            double t = b[i * n + j] * 2;
            if (i > j + 3) {
                a[i * n + j] = t;
                continue;
            }
            a[i * n + j] += t;
        }
    if (x[0] > 1.25)
        goto done;
    y[0] = 3;
done:
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double s = x[i] * y[j];
            b[i * n + j] += s;
        }
}
