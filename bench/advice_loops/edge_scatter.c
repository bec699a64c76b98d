/* After suites of graph algorithms: along each edge a share of the source's rank is
 * pushed to its target. Known remedy: source and target of later edges prefetched. */
#pragma inflight kernel
#pragma inflight set edges = 2000000
#pragma inflight set n = 16000000
#pragma inflight buffer from = index(n)
#pragma inflight buffer to = index(n)
#pragma inflight buffer rank = zero
void edge_scatter(int edges, int n, float rank[restrict n], const float share[restrict n],
                  const int from[restrict edges], const int to[restrict edges])
{
    (void)n;
    for (int e = 0; e < edges; e++)
        rank[to[e]] += share[from[e]] * 0.85f;
}

void hand(int edges, int n, float rank[restrict n], const float share[restrict n],
          const int from[restrict edges], const int to[restrict edges])
{
    (void)n;
    for (int e = 0; e < edges; e++) {
        int later = e + 32 < edges ? e + 32 : edges - 1;
        __builtin_prefetch(&share[from[later]]);
        __builtin_prefetch(&rank[to[later]], 1);
        rank[to[e]] += share[from[e]] * 0.85f;
    }
}
