/* After articles on histograms: where neighbours are alike each count waits for the
 * store of the one before. Known remedy: four tables in turn, added at the end. */
#pragma inflight kernel
#pragma inflight set n = 30000000
#pragma inflight buffer bins = zero
#pragma inflight buffer pixel = uniform(0, 1)
void byte_histogram(int n, unsigned bins[restrict 256],
                    const unsigned char pixel[restrict n])
{
    for (int i = 0; i < n; i++)
        bins[pixel[i]]++;
}

void hand(int n, unsigned bins[restrict 256], const unsigned char pixel[restrict n])
{
    unsigned part[8][256] = {0};
    int i = 0;
    for (; i + 8 <= n; i += 8)
        for (int v = 0; v < 8; v++)
            part[v][pixel[i + v]]++;
    for (; i < n; i++)
        part[0][pixel[i]]++;
    for (int b = 0; b < 256; b++)
        for (int v = 0; v < 8; v++)
            bins[b] += part[v][b];
}
