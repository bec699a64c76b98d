void f(int n, double *a)
{
    int i;
    for (i = n - 1; i >= 0; --i)
        a[i] = a[i] - a[n - 1 - i];
}
