/* The right kernel behind broken.c. */
#pragma inflight kernel
#pragma inflight set n = 1000
void scaled(int n, double a[n], const double b[n])
{
    for (int i = 0; i < n; i++)
        a[i] = 2.0 * b[i];
}
