/*
 * triangle_count: Pairs of sorted neighbour lists are merged.
 */
#pragma inflight kernel
#pragma inflight set nodes = 100000
#pragma inflight buffer first = offsets(6)
#pragma inflight buffer to = index(nodes)
#pragma inflight buffer to length 6 * nodes
long triangle_count(int nodes, const int first[restrict nodes + 1], const int *restrict to)
{
    long triangles = 0;

    for (int u = 0; u < nodes; u++)
        for (int e = first[u]; e < first[u + 1]; e++) {
            int a = first[u], b = first[to[e]];
            while (a < first[u + 1] && b < first[to[e] + 1]) {
                if (to[a] == to[b])
                    triangles++;
                if (to[a] <= to[b])
                    a++;
                else
                    b++;
            }
        }
    return triangles;
}
