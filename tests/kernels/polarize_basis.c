/*
 * polarize_basis: Each fibre of a block is multiplied by a small matrix, by way of a local array of
 * variable length.
 */
#pragma inflight kernel
#pragma inflight set n = 160
void polarize_basis(int n, double A[restrict n][n][n], const double C[restrict n][n])
{
    double sum[n];

    for (int r = 0; r < n; r++)
        for (int q = 0; q < n; q++) {
            for (int p = 0; p < n; p++) {
                sum[p] = 0;
                for (int s = 0; s < n; s++)
                    sum[p] += 0.005 * A[r][q][s] * C[s][p];
            }
            for (int p = 0; p < n; p++)
                A[r][q][p] = sum[p];
        }
}
