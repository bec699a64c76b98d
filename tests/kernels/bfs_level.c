/*
 * bfs_level: One level of a search: all unvisited nodes look whether a neighbour is in the frontier,
 * and stop at the first.
 */
#pragma inflight kernel
#pragma inflight set nodes = 1500000
#pragma inflight buffer first = offsets(4)
#pragma inflight buffer to = index(nodes)
#pragma inflight buffer to length 4 * nodes
#pragma inflight buffer level = uniform(0, 3)
#pragma inflight set depth = 2
void bfs_level(int nodes, int depth, const int first[restrict nodes + 1], const int *restrict to,
               const int level[restrict nodes], int next[restrict nodes])
{
    for (int v = 0; v < nodes; v++) {
        next[v] = level[v];
        if (level[v] == 0) {
            for (int e = first[v]; e < first[v + 1]; e++)
                if (level[to[e]] == depth) {
                    next[v] = depth + 1;
                    break;
                }
        }
    }
}
