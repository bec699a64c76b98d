/*
 * spread_charge: Charges laid down on a grid at the cells of particles in no order.
 */
#pragma inflight kernel
#pragma inflight set n = 2000000
#pragma inflight set cells = 16000000
#pragma inflight buffer cell = index(cells - 1)
#pragma inflight buffer grid = zero
#pragma inflight buffer f = uniform(0, 1)
void spread_charge(long n, long cells, double grid[restrict cells], const int cell[restrict n],
                   const double f[restrict n])
{
    for (long i = 0; i < n; i++) {
        grid[cell[i]] += 1.0 - f[i];
        grid[cell[i] + 1] += f[i];
    }
}
