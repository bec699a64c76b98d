/*
 * gram_schmidt: Columns made orthogonal one after the other, matrices stored by rows. The start of
 * each column is shifted away from the others so that none vanishes.
 */
#include <math.h>

#pragma inflight kernel
#pragma inflight set n = 360
#pragma inflight set m = 360
void gram_schmidt(int n, int m, const double A[restrict n][m], double Q[restrict n][m], double R[restrict m][m])
{
    for (int k = 0; k < m; k++) {
        for (int i = 0; i < n; i++)
            Q[i][k] = A[i][k] + (i == k ? m : 0);
        for (int j = 0; j < k; j++) {
            R[j][k] = 0;
            for (int i = 0; i < n; i++)
                R[j][k] += Q[i][j] * Q[i][k];
            for (int i = 0; i < n; i++)
                Q[i][k] -= Q[i][j] * R[j][k];
        }
        double norm = 1e-6;
        for (int i = 0; i < n; i++)
            norm += Q[i][k] * Q[i][k];
        R[k][k] = sqrt(norm);
        for (int i = 0; i < n; i++)
            Q[i][k] /= R[k][k];
    }
}
