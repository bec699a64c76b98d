/* After programs that sum the energies of events into bins, the events in order: each
 * addition waits for the one before into the same bin. Known remedy: several tables in
 * turn, added at the end. */
#pragma inflight kernel
#pragma inflight set n = 8000000
#pragma inflight buffer energy = zero
#pragma inflight buffer bin = ascending(64)
void weighted_bins(int n, double energy[restrict 64], const int bin[restrict n],
                   const double weight[restrict n])
{
    for (int i = 0; i < n; i++)
        energy[bin[i]] += weight[i];
}

void hand(int n, double energy[restrict 64], const int bin[restrict n],
          const double weight[restrict n])
{
    double part[8][64] = {0};
    int i = 0;
    for (; i + 8 <= n; i += 8)
        for (int v = 0; v < 8; v++)
            part[v][bin[i + v]] += weight[i + v];
    for (; i < n; i++)
        part[0][bin[i]] += weight[i];
    for (int b = 0; b < 64; b++)
        for (int v = 0; v < 8; v++)
            energy[b] += part[v][b];
}
