/* After compiler reports about a sum through a pointer that may point into the array.
 * Known remedy: the sum in a local, stored once: vectors. */
#pragma inflight kernel
#pragma inflight set rounds = 500
#pragma inflight set n = 100000
#pragma inflight buffer total length 1
#pragma inflight buffer total = zero
void total_in_memory(int rounds, int n, unsigned *total, const unsigned *p)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            *total += p[i] >> 3;
}

void hand(int rounds, int n, unsigned *total, const unsigned *p)
{
    unsigned sum = *total;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            sum += p[i] >> 3;
    *total = sum;
}
