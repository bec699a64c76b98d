/* The first of every sixteen numbers, then the second: each time all lines come from
 * memory, for four bytes of each. */
#pragma inflight kernel
#pragma inflight set n = 2097152
#pragma inflight buffer y = zero
void stride_flat(long n, int y[restrict 16], const int a[restrict 16 * n])
{
    for (long o = 0; o < 16; o++)
        for (long i = 0; i < n; i++)
            y[o] += a[16 * i + o];
}
