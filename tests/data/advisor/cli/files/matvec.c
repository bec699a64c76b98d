#pragma inflight set n = 100
void matvec(int n, const double *restrict a, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int j = 0; j < n; j++)
            s += a[j * n + i] * x[j];
        y[i] = s;
    }
}
