int f(int n, double *a)
{
    int k = n;
    while (k > 1)
        k /= 2;
    for (int i = 0; i < n; i++)
        a[i] += k;
    do
        k--;
    while (k > 0);
    return k;
}
