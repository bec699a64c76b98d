/* After forward substitution for many right-hand sides, one after the other, as
 * textbooks have it. Known remedy: eight right-hand sides side by side. */
#pragma inflight kernel
#pragma inflight set sides = 64
#pragma inflight set n = 1000
#pragma inflight buffer l = uniform(0, 0.001)
#pragma inflight buffer x = zero
void triangular_solves(int sides, int n, double x[restrict sides][n],
                       const double l[restrict n][n], const double b[restrict sides][n])
{
    for (int r = 0; r < sides; r++)
        for (int i = 0; i < n; i++) {
            double s = b[r][i];
            for (int k = 0; k < i; k++)
                s -= l[i][k] * x[r][k];
            x[r][i] = s;
        }
}

void hand(int sides, int n, double x[restrict sides][n], const double l[restrict n][n],
          const double b[restrict sides][n])
{
    int r = 0;
    for (; r + 7 < sides; r += 8)
        for (int i = 0; i < n; i++) {
            double s[8];
            for (int v = 0; v < 8; v++)
                s[v] = b[r + v][i];
            for (int k = 0; k < i; k++)
                for (int v = 0; v < 8; v++)
                    s[v] -= l[i][k] * x[r + v][k];
            for (int v = 0; v < 8; v++)
                x[r + v][i] = s[v];
        }
    for (; r < sides; r++)
        for (int i = 0; i < n; i++) {
            double s = b[r][i];
            for (int k = 0; k < i; k++)
                s -= l[i][k] * x[r][k];
            x[r][i] = s;
        }
}
