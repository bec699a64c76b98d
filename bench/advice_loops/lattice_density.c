/* After programs for lattice Boltzmann methods that keep the 19 directions of a cell in a
 * record: a loop over directions around the one over cells, each sweep through all
 * records for one number of each. Known remedy: cells outside, directions inside, or an
 * array for each direction. */
struct cell {
    double flow[19];
};

#pragma inflight kernel
#pragma inflight set n = 600000
void lattice_density(int n, double density[restrict n], const struct cell at[restrict n])
{
    for (int c = 0; c < n; c++)
        density[c] = 0;
    for (int d = 0; d < 19; d++)
        for (int c = 0; c < n; c++)
            density[c] += at[c].flow[d];
}

void hand(int n, double density[restrict n], const struct cell at[restrict n])
{
    for (int c = 0; c < n; c++) {
        double sum = 0;
        for (int d = 0; d < 19; d++)
            sum += at[c].flow[d];
        density[c] = sum;
    }
}
