void f(int n, double *a, const double *b)
{
    for (int i = 0; i < n; i++) {
        if (i > 0 && i < n - 1)
            a[i] = b[i - 1] + b[i + 1];
        else if ((i & 1) == 0)
            a[i] = 0;
        else
            a[i] = b[i];
    }
}
