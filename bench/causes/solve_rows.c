/* Tridiagonal systems, the way down: each division waits for the one of the row above.
 * Eight systems, one after the other, in the caches. */
#pragma inflight kernel
#pragma inflight set rounds = 2000
#pragma inflight set n = 256
#pragma inflight buffer above = uniform(0.2, 0.4)
#pragma inflight buffer diagonal = uniform(2, 3)
#pragma inflight buffer factor = zero
void solve_rows(int rounds, int n, double factor[restrict 8][n],
                const double above[restrict 8][n], const double diagonal[restrict 8][n])
{
    for (int r = 0; r < rounds; r++)
        for (int s = 0; s < 8; s++) {
            double last = 0.001 * r;
            for (int i = 0; i < n; i++) {
                last = above[s][i] / (diagonal[s][i] - above[s][i] * last);
                factor[s][i] = last;
            }
        }
}

/* A row of each system in turn. */
void remedy(int rounds, int n, double factor[restrict 8][n],
            const double above[restrict 8][n], const double diagonal[restrict 8][n])
{
    for (int r = 0; r < rounds; r++) {
        double last[8];
        for (int s = 0; s < 8; s++)
            last[s] = 0.001 * r;
        for (int i = 0; i < n; i++)
            for (int s = 0; s < 8; s++) {
                last[s] = above[s][i] / (diagonal[s][i] - above[s][i] * last[s]);
                factor[s][i] = last[s];
            }
    }
}
