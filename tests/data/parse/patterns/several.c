void f(int n, double *a, double *b)
{
    int i, j;
    for (i = 0; i < n; i++)
        a[i] = 0;
    b[0] = 1;
    for (j = 0; j < n; j++)
        b[j] += a[j];
    if (n > 3)
        for (i = 0; i < n; i++)
            a[i] = b[i];
}
