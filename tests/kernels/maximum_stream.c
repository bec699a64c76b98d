/*
 * maximum_stream: The largest of many.
 */
#pragma inflight kernel
#pragma inflight set n = 60000000
int maximum_stream(long n, const int a[restrict n])
{
    int most = -2147483647;
    for (long i = 0; i < n; i++)
        most = a[i] > most ? a[i] : most;
    return most;
}
