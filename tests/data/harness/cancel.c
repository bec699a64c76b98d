/* With more columns than rows little but rounding is left of the sums. */
#pragma inflight set n = 40
#pragma inflight set m = 50
void cancel(int n, int m, const double *a, double *x)
{
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int k = 0; k < m; k++)
            s += a[k];
        x[i] = m > n ? s * 3.7 - s * 1.2 - s * 2.5 : s;
    }
}
