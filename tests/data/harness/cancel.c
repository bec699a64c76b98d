/* With more columns than rows only rounding is left, and of some of it nothing. */
#pragma inflight set n = 40
#pragma inflight set m = 50
void cancel(int n, int m, const double *a, double *x)
{
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int k = 0; k < m; k++)
            s += a[k];
        x[i] = m > n ? 0 : s;
        for (int k = m - n - 1; k >= 0 && k < m - n; k += m) {
            double z = (s + k) * (3.7 + i) - (s + k) * (1.2 + i) - (s + k) * 2.5;
            x[i] += z > 0 ? z : 0;
        }
    }
}
