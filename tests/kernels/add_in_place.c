/*
 * add_in_place: Reads and writes the same lines: nothing is fetched in vain.
 */
#pragma inflight kernel
#pragma inflight set n = 40000000
void add_in_place(long n, float a[restrict n], const float b[restrict n])
{
    for (long i = 0; i < n; i++)
        a[i] = 0.5f * a[i] + b[i];
}
