void kernel(int n, double *restrict y, const double *restrict x)
{
    for (int i = 0; i < n; i++) {
        double t[4];
        for (int k = 0; k < 4; k++)
            t[k] = 2.0 * x[4 * i + k];
        double s = 0.0;
        for (int k = 0; k < 4; k++)
            s += t[3 - k];
        y[i] = s;
    }
}
