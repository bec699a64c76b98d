/* Helpers of several statements, which write through pointers. */
static void blend(const double *v, int i, double by, double *out, double *rest)
{
    double left = v[i], right;
    if (by > 1)
        by = 1 / by;
    right = by * left;
    *out = right;
    *rest += left - right;
}

static void settle(double *p, double with)
{
    double old = *p;
    *p = 0.5 * (old + with);
}

void kernel(int n, double a[restrict n][n], double b[restrict n][n], double c[restrict n][n], double x[restrict n],
            double y[restrict n], int *p)
{
    (void)p;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double out;
            blend(x, j, y[i], &out, &a[i][j]);
            settle(&b[j][i], out);
            c[i][j] += b[j][i];
        }
}
