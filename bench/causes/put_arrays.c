/* One load from the L1 cache for six stores to it, everywhere in 24 KiB: one or two
 * stores a cycle is what a core can do, and it has done the rest before. */
#pragma inflight kernel
#pragma inflight set rounds = 2000
#pragma inflight set n = 2048
#pragma inflight buffer index = permutation
void put_arrays(int rounds, int n, short a[restrict n], short b[restrict n],
                short c[restrict n], short d[restrict n], short e[restrict n],
                short f[restrict n], const unsigned short index[restrict n])
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++) {
            short value = (short)r;
            a[index[i]] = value;
            b[index[i]] = value;
            c[index[i]] = value;
            d[index[i]] = value;
            e[index[i]] = value;
            f[index[i]] = value;
        }
}
