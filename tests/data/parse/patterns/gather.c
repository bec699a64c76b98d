void f(int n, double *y, const double *x, const int *idx)
{
    for (int i = 0; i < n; i++)
        y[i] = x[idx[i]] + x[idx[n - 1 - i] + 1];
}
