/* A histogram of 128 MiB, counted in random order inside of blocks of 512 KiB: no count
 * waits for another, four instructions for each miss. */
#pragma inflight kernel
#pragma inflight set n = 2097152
#pragma inflight buffer class = cycle(1, 4096)
#pragma inflight buffer count = zero
void histogram_flat(int n, int count[restrict 32 * n], const int class[restrict n])
{
    for (int i = 0; i < n; i++)
        count[32 * class[i]]++;
}

/* As many counts, of the 4096 classes of the first block. */
void remedy(int n, int count[restrict 32 * n], const int class[restrict n])
{
    for (int i = 0; i < n; i++)
        count[4 * (class[i] & 1023)]++;
}
