/*
 * floyd_paths: Shortest paths between all pairs; each round goes over the whole table.
 */
#pragma inflight kernel
#pragma inflight set n = 500
#pragma inflight buffer d = uniform(1, 1000)
void floyd_paths(int n, int d[n][n])
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                d[i][j] = d[i][k] + d[k][j] < d[i][j] ? d[i][k] + d[k][j] : d[i][j];
}
