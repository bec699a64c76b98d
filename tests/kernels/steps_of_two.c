/*
 * steps_of_two: Red and black points by turns, each with a step of two.
 */
#pragma inflight kernel
#pragma inflight set n = 2500
#pragma inflight set sweeps = 3
void steps_of_two(int n, int sweeps, double u[n][n])
{
    for (int s = 0; s < sweeps; s++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j += 2)
                u[i][j] = 0.5 * (u[i][j - 1] + u[i][j + 1]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 2; j < n - 1; j += 2)
                u[i][j] = 0.5 * (u[i][j - 1] + u[i][j + 1]);
    }
}
