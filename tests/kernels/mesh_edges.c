/*
 * mesh_edges: Differences along the edges of a mesh whose nodes lie in no order.
 */
#pragma inflight kernel
#pragma inflight set edges = 3000000
#pragma inflight set nodes = 8000000
#pragma inflight buffer tail = index(nodes)
#pragma inflight buffer head = index(nodes)
void mesh_edges(long edges, long nodes, const int tail[restrict edges], const int head[restrict edges],
                const double x[restrict nodes], const double y[restrict nodes], double flux[restrict edges])
{
    for (long e = 0; e < edges; e++) {
        double dx = x[head[e]] - x[tail[e]];
        double dy = y[head[e]] - y[tail[e]];

        flux[e] = (dx * dy) / (1.0 + dx * dx + dy * dy);
    }
}
