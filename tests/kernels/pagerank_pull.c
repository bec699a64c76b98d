/*
 * pagerank_pull: Each node gathers the shares of those that link to it.
 */
#pragma inflight kernel
#pragma inflight set nodes = 2000000
#pragma inflight buffer first = offsets(4)
#pragma inflight buffer from = index(nodes)
#pragma inflight buffer from length 4 * nodes
void pagerank_pull(int nodes, const int first[restrict nodes + 1], const int *restrict from,
                   const float share[restrict nodes], float rank[restrict nodes])
{
    for (int v = 0; v < nodes; v++) {
        float sum = 0.0f;
        for (int e = first[v]; e < first[v + 1]; e++)
            sum += share[from[e]];
        rank[v] = 0.15f + 0.85f * sum;
    }
}
