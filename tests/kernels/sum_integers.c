/*
 * sum_integers: A sum that compilers make vectors of by themselves.
 */
#pragma inflight kernel
#pragma inflight set n = 60000000
long sum_integers(long n, const int a[restrict n])
{
    long sum = 0;
    for (long i = 0; i < n; i++)
        sum += a[i];
    return sum;
}
