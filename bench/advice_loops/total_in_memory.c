/* After compiler reports about a sum through a pointer that may point into the array.
 * Known remedy: the sum in a local, stored once: vectors. */
#pragma inflight kernel
#pragma inflight set n = 60000000
#pragma inflight buffer total length 1
#pragma inflight buffer total = zero
void total_in_memory(int n, unsigned *total, const unsigned char *p)
{
    for (int i = 0; i < n; i++)
        *total += p[i];
}

void hand(int n, unsigned *total, const unsigned char *p)
{
    unsigned sum = *total;
    for (int i = 0; i < n; i++)
        sum += p[i];
    *total = sum;
}
