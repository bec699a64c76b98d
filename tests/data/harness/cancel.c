/* With more columns than rows only rounding is left. */
#pragma inflight set n = 40
#pragma inflight set m = 50
void cancel(int n, int m, const double *a, double *x)
{
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int k = 0; k < m; k++)
            s += a[k];
        x[i] = m > n ? 0 : s;
        for (int k = 0; k < m - n; k++)
            x[i] += (s + k) * 3.7 - (s + k) * 1.2 - (s + k) * 2.5;
    }
}
