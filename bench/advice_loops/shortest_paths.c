/* After Floyd and Warshall's algorithm as textbooks have it: a condition on data around
 * the store. Known remedy: the smaller of two always stored, row and factor in locals:
 * vectors. */
#pragma inflight kernel
#pragma inflight set n = 500
#pragma inflight buffer d = uniform(1, 1000000)
void shortest_paths(int n, int *d)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (d[i * n + k] + d[k * n + j] < d[i * n + j])
                    d[i * n + j] = d[i * n + k] + d[k * n + j];
}

/* No way is shorter than nothing, so row k and column k stay as they are in round k. */
void hand(int n, int *d)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++) {
            int *row = d + i * n, via = row[k];
            const int *rest = d + k * n;
            if (i == k)
                continue;
#pragma GCC ivdep
            for (int j = 0; j < n; j++)
                row[j] = via + rest[j] < row[j] ? via + rest[j] : row[j];
        }
}
