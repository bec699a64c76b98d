/*
 * search_returns: Leaves the function out of the middle of the loop.
 */
#pragma inflight kernel
#pragma inflight set n = 10000000
#pragma inflight buffer a = uniform(1, 100)
#pragma inflight set wanted = 0
long search_returns(long n, const int a[restrict n], int wanted)
{
    for (long i = 0; i < n; i++)
        if (a[i] == wanted)
            return i;
    return -1;
}
