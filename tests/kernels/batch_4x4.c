/*
 * batch_4x4: Small products, written out so far that each compiler makes vectors of them; read and
 * written once.
 */
#pragma inflight kernel
#pragma inflight set n = 400000
void batch_4x4(long n, float C[restrict n][4][4], const float A[restrict n][4][4], const float B[restrict n][4][4])
{
    for (long b = 0; b < n; b++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                C[b][i][j] = A[b][i][0] * B[b][0][j] + A[b][i][1] * B[b][1][j] + A[b][i][2] * B[b][2][j] +
                             A[b][i][3] * B[b][3][j];
}
