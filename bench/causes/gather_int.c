/* Look-ups in random order inside of blocks of 512 KiB, none of which needs another: so
 * many fit into the core that its queue of L1 misses is full, and the TLB holds their
 * pages. */
#pragma inflight kernel
#pragma inflight set n = 1048576
#pragma inflight buffer index = cycle(1, 4096)
double gather_int(int n, const double table[restrict 16 * n], const int index[restrict n])
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += table[16 * index[i]];
    return sum;
}

/* Every place once, in order: a prefetcher follows. */
double remedy(int n, const double table[restrict 16 * n], const int index[restrict n])
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += table[16 * i];
    return sum;
}
