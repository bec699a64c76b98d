void copy(long n, const double a[n], double b[n])
{
    for (long i = 0; i < n; i++)
        b[i] = a[i];
}
