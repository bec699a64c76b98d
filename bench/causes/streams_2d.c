/* Sums across 64 rows of two megabytes: 64 streams side by side, when no prefetcher
 * follows more than two or three dozen. Rows are a line longer than a power of two, so
 * that their lines spread over all sets. */
#pragma inflight kernel
#pragma inflight set n = 524288
#pragma inflight buffer y = zero
void streams_2d(int n, int y[restrict n], const int a[restrict 64][n + 16])
{
    for (int i = 0; i < n; i++) {
        int sum = 0;
        for (int r = 0; r < 64; r++)
            sum += a[r][i];
        y[i] = sum;
    }
}

/* Eight rows at a time. */
void remedy(int n, int y[restrict n], const int a[restrict 64][n + 16])
{
    for (int i = 0; i < n; i++)
        y[i] = 0;
    for (int r = 0; r < 64; r += 8)
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 8; k++)
                y[i] += a[r + k][i];
}
