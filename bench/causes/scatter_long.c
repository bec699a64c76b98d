/* Stores in random order inside of blocks of 512 KiB, each to a line of its own, and once
 * more to the same lines: lines have to come and to go, while the stores wait in their
 * buffer. */
#pragma inflight kernel
#pragma inflight set n = 2097152
#pragma inflight buffer index = cycle(1, 4096)
#pragma inflight buffer out = zero
void scatter_long(long n, long out[restrict 16 * n], const long index[restrict n])
{
    for (long i = 0; i < n; i++)
        out[16 * index[i]] = 3 * index[i];
    for (long i = 0; i < n; i++)
        out[16 * index[i] + 1] = 5 * index[i];
}

/* Both numbers while the line is there. */
void remedy(long n, long out[restrict 16 * n], const long index[restrict n])
{
    for (long i = 0; i < n; i++) {
        out[16 * index[i]] = 3 * index[i];
        out[16 * index[i] + 1] = 5 * index[i];
    }
}
