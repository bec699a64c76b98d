void f(int n, double *a, const int *mask)
{
    for (int i = 0; i < n; i++)
        if (mask[i] && a[i] > 0)
            a[i] = a[i] > 1 ? 1 : a[i];
}
