void f(int n, double *a)
{
    for (int i = 2; i <= n; i += 3)
        for (int j = n; j > i; j -= 2)
            a[i] += a[j];
}
