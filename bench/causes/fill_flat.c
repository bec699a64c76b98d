/* Nothing but stores, through memory, by all cores. */
#pragma inflight kernel
#pragma inflight set n = 16777216
#pragma inflight set value = 1.5
void fill_flat(long n, double value, double a[restrict n])
{
    for (long i = 0; i < n; i++)
        a[i] = value;
}
