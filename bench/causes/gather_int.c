/* Look-ups in random order inside of blocks of 512 KiB, four for each index and far
 * apart, none of which needs another: so many fit into the core that a queue of misses is
 * full, and the TLB holds their pages. */
#pragma inflight kernel
#pragma inflight set n = 524288
#pragma inflight buffer index = cycle(1, 4096)
#pragma inflight buffer a = uniform(1, 1)
double gather_int(int n, const double a[restrict 64 * n + 1024],
                  const int index[restrict n])
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (a[16 * index[i]] - 0.5 * a[16 * index[i] + 16 * n + 272]) +
               (0.5 * a[16 * index[i] + 32 * n + 544] -
                0.75 * a[16 * index[i] + 48 * n + 816]);
    return sum;
}

/* All four numbers in one line: a quarter of the misses. */
double remedy(int n, const double a[restrict 64 * n + 1024], const int index[restrict n])
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (a[16 * index[i]] - 0.5 * a[16 * index[i] + 1]) +
               (0.5 * a[16 * index[i] + 2] - 0.75 * a[16 * index[i] + 3]);
    return sum;
}
