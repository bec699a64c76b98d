/*
 * border_conditions: Edges are treated apart by conditions inside the loops.
 */
#pragma inflight kernel
#pragma inflight set n = 2500
void border_conditions(int n, double out[restrict n][n], const double in[restrict n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (i == 0 || j == 0 || i == n - 1 || j == n - 1)
                out[i][j] = 0;
            else
                out[i][j] = 0.25 * (in[i - 1][j] + in[i + 1][j] + in[i][j - 1] + in[i][j + 1]);
        }
}
