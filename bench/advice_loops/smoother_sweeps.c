/* After smoothers of multigrid programs: sweeps over a plane that no near cache holds.
 * Known remedy: sweeps one line behind another while the lines are in the cache. */
#pragma inflight kernel
#pragma inflight set steps = 8
#pragma inflight set n = 1600
void smoother_sweeps(int steps, int n, double u[restrict 2][n][n])
{
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                u[(t + 1) % 2][i][j] =
                    0.2 * (u[t % 2][i][j] + u[t % 2][i][j - 1] + u[t % 2][i][j + 1] +
                           u[t % 2][i - 1][j] + u[t % 2][i + 1][j]);
}

enum { SIDE = 8 };

void hand(int steps, int n, double u[restrict 2][n][n])
{
    for (int b = 1; b < n - 1 + steps; b += SIDE)
        for (int t = 0; t < steps; t++) {
            int from = b - t > 1 ? b - t : 1,
                to = b - t + SIDE < n - 1 ? b - t + SIDE : n - 1;
            for (int i = from; i < to; i++) {
                const double *above = u[t % 2][i - 1], *here = u[t % 2][i],
                             *below = u[t % 2][i + 1];
                double *out = u[(t + 1) % 2][i];
#pragma GCC ivdep
                for (int j = 1; j < n - 1; j++)
                    out[j] =
                        0.2 * (here[j] + here[j - 1] + here[j + 1] + above[j] + below[j]);
            }
        }
}
