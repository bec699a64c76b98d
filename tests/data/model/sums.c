void kernel(int n, double *restrict y, const double *restrict x)
{
    for (int r = 0; r < 1; r++) {
        double s = 0.0;
        for (int i = 0; i < n; i++)
            s += x[i];
        for (int i = 0; i < n; i++)
            y[i] = s * x[i];
    }
}
