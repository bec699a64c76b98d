/* Descents in a tree that lies level by level: the comparison decides on the child, and
 * what is found decides on the next key. Eight rows of descents, one after the other. */
#pragma inflight kernel
#pragma inflight set queries = 8192
#pragma inflight set n = 33554432
#pragma inflight buffer tree = uniform(0, 1000000000)
unsigned tree_int(int queries, int n, const int tree[restrict n])
{
    unsigned sum = 0;
    for (int r = 0; r < 8; r++) {
        unsigned key = 12345u * (unsigned)(r + 1);
        for (int q = 0; q < queries; q++) {
            int at = 0;
            while (at < n / 2 - 1)
                at = 2 * at + 1 + (tree[at] < (int)(key >> 2));
            key = key * 1664525u + (unsigned)tree[at];
        }
        sum += key;
    }
    return sum;
}

/* A descent of each row at once. */
unsigned remedy(int queries, int n, const int tree[restrict n])
{
    unsigned sum = 0, key[8];
    int at[8];
    for (int r = 0; r < 8; r++)
        key[r] = 12345u * (unsigned)(r + 1);
    for (int q = 0; q < queries; q++) {
        for (int r = 0; r < 8; r++)
            at[r] = 0;
        for (int level = 1; level <= n / 2 - 1; level *= 2)
            for (int r = 0; r < 8; r++)
                if (at[r] < n / 2 - 1)
                    at[r] = 2 * at[r] + 1 + (tree[at[r]] < (int)(key[r] >> 2));
        for (int r = 0; r < 8; r++)
            key[r] = key[r] * 1664525u + (unsigned)tree[at[r]];
    }
    for (int r = 0; r < 8; r++)
        sum += key[r];
    return sum;
}
