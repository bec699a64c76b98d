void kernel(int n, double *restrict y, const double *restrict x)
{
    double t[1000];
    for (int i = 0; i < n; i++) {
        t[i] = x[i] * x[i];
        y[i] = t[i] + 1.0;
    }
}
