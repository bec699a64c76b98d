int f(int n, double *a)
{
    for (int i = 0; i < n; i++)
        if (a[i] < 0)
            goto bad;
    for (int i = 0; i < n; i++)
        a[i] = 1;
    return 0;
bad:
    return 1;
}
