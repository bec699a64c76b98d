/*
 * contraction_4: Two of four indices are summed over; the innermost one strides through both operands.
 */
#pragma inflight kernel
#pragma inflight set n = 64
void contraction_4(int n, double R[restrict n][n], const double S[restrict n][n][n],
                   const double T[restrict n][n][n])
{
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            for (int c = 0; c < n; c++)
                for (int d = 0; d < n; d++)
                    R[a][b] += S[d][c][a] * T[d][c][b];
}
