/*
 * copy_stream: One array to another.
 */
#pragma inflight kernel
#pragma inflight set n = 40000000
void copy_stream(long n, double to[restrict n], const double from[restrict n])
{
    for (long i = 0; i < n; i++)
        to[i] = from[i];
}
