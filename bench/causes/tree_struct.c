/* tree_int with structs of a key and the indices of two children. */
struct node {
    int key;
    int child[2];
};

#pragma inflight kernel
#pragma inflight set queries = 131072
#pragma inflight set levels = 8
#pragma inflight set n = 8388608
#pragma inflight buffer node.key = uniform(0, 1000000000)
#pragma inflight buffer node.child = index(n)
unsigned tree_struct(long queries, long levels, long n,
                     const struct node node[restrict n])
{
    unsigned key = 12345u;
    for (long q = 0; q < queries; q++) {
        long at = (long)(key % (unsigned long)n);
        for (long level = 1; level < levels; level++)
            at = node[at].child[node[at].key < (int)(key >> 2)];
        key = key * 1664525u + (unsigned)node[at].key;
    }
    return key;
}
