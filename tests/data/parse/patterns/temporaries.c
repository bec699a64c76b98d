void f(int n, double *a)
{
    double t, u;
    for (int i = 1; i < n; i++) {
        const double l = a[i - 1];
        int k = i + 1;
        t = a[i] * l;
        u = t + k;
        a[i] = u;
    }
}
