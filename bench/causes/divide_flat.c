/* Three quotients by the same number for each place, all from the L1 cache, none of which
 * needs another: the divider is always busy. */
#pragma inflight kernel
#pragma inflight set rounds = 10000
#pragma inflight set n = 512
void divide_flat(int rounds, int n, double x[restrict n], double y[restrict n],
                 double z[restrict n], const double a[restrict n],
                 const double d[restrict n])
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++) {
            x[i] = a[i] / d[i];
            y[i] = (a[i] + 1.0) / d[i];
            z[i] = (a[i] - 1.0) / d[i];
        }
}

/* One quotient and three products. */
void remedy(int rounds, int n, double x[restrict n], double y[restrict n],
            double z[restrict n], const double a[restrict n], const double d[restrict n])
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++) {
            double by = 1.0 / d[i];
            x[i] = a[i] * by;
            y[i] = (a[i] + 1.0) * by;
            z[i] = (a[i] - 1.0) * by;
        }
}
