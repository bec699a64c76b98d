/*
 * label_propagation: The least label among the neighbours, one round.
 */
#pragma inflight kernel
#pragma inflight set nodes = 2000000
#pragma inflight buffer first = offsets(4)
#pragma inflight buffer to = index(nodes)
#pragma inflight buffer to length 4 * nodes
#pragma inflight buffer label = index(nodes)
void label_propagation(int nodes, const int first[restrict nodes + 1], const int *restrict to,
                       const int label[restrict nodes], int next[restrict nodes])
{
    for (int v = 0; v < nodes; v++) {
        int least = label[v];
        for (int e = first[v]; e < first[v + 1]; e++)
            if (label[to[e]] < least)
                least = label[to[e]];
        next[v] = least;
    }
}
