void f(int n, double *a)
{
    int k = 0;
    for (int i = 0; i < n; i++)
        k += 2, a[k] = i;
}
