/* threads_struct with an array for each of six rings, and unsigned subscripts. */
#pragma inflight kernel
#pragma inflight set n = 8388608
#pragma inflight buffer a = cycle(32, 131072)
#pragma inflight buffer b = cycle(32, 131072)
#pragma inflight buffer c = cycle(32, 131072)
#pragma inflight buffer d = cycle(32, 131072)
#pragma inflight buffer e = cycle(32, 131072)
#pragma inflight buffer f = cycle(32, 131072)
unsigned threads_flat(unsigned n, const unsigned a[restrict n],
                      const unsigned b[restrict n], const unsigned c[restrict n],
                      const unsigned d[restrict n], const unsigned e[restrict n],
                      const unsigned f[restrict n])
{
    unsigned at[6] = {0}, met = 0;
    for (unsigned i = 0; i < n / 32; i++) {
        at[0] = a[at[0]];
        at[1] = b[at[1]];
        at[2] = c[at[2]];
        at[3] = d[at[3]];
        at[4] = e[at[4]];
        at[5] = f[at[5]];
        met += (at[0] ^ at[1]) + (at[2] ^ at[3]) + (at[4] ^ at[5]);
    }
    return met;
}
