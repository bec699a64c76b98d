#pragma inflight set n = 200
void plain(long n, double b[n], const double a[n])
{
    for (long i = 0; i < n; i++)
        b[i] = 2 * a[i];
}

#pragma inflight set n = 200
void doubled(long n, double b[n], const double a[n])
{
    for (long i = n - 1; i >= 0; i--)
        b[i] = a[i] + a[i];
}

#pragma inflight set n = 200
void wrong(long n, double b[n], const double a[n])
{
    for (long i = 0; i < n; i++)
        b[i] = 2 * a[i] + (i == n - 1);
}

#pragma inflight set n = 200
void single(long n, float b[n], const float a[n])
{
    for (long i = 0; i < n; i++)
        b[i] = 2 * a[i];
}

#pragma inflight set n = 200
void less(long n, double b[n])
{
    for (long i = 0; i < n; i++)
        b[i] = 2;
}

#pragma inflight set n = 200
void nearly(long n, float b[n], const float a[n])
{
    for (long i = 0; i < n; i++)
        b[i] = 2.00002f * a[i];
}
