/* After articles on search trees in the order of a heap: one descent after the other.
 * Known remedy: 16 descents side by side. */
#pragma inflight kernel
#pragma inflight set queries = 200000
#pragma inflight set levels = 22
#pragma inflight set n = 4194303
#pragma inflight buffer tree = uniform(0, 1000000000)
#pragma inflight buffer key = uniform(0, 1000000000)
void tree_descents(int queries, int levels, int n, int leaf[restrict queries],
                   const int tree[restrict n], const int key[restrict queries])
{
    for (int q = 0; q < queries; q++) {
        int at = 0;
        for (int l = 0; l < levels; l++)
            at = at < n ? 2 * at + 1 + (tree[at] < key[q]) : at;
        leaf[q] = at;
    }
}

enum { SIDE = 16 };

void hand(int queries, int levels, int n, int leaf[restrict queries],
          const int tree[restrict n], const int key[restrict queries])
{
    for (int qb = 0; qb < queries; qb += SIDE) {
        int at[SIDE] = {0}, side = queries - qb < SIDE ? queries - qb : SIDE;
        for (int l = 0; l < levels; l++)
            for (int v = 0; v < side; v++)
                if (at[v] < n)
                    at[v] = 2 * at[v] + 1 + (tree[at[v]] < key[qb + v]);
        for (int v = 0; v < side; v++)
            leaf[qb + v] = at[v];
    }
}
