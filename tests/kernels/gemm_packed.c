/*
 * gemm_packed: The core of a product on packed panels: a block of 4 x 16 sums, both operands read in
 * order from the first caches.
 */
#pragma inflight kernel
#pragma inflight set blocks = 600
#pragma inflight set l = 256
void gemm_packed(int blocks, int l, double C[restrict blocks][4][16], const double A[restrict l][4],
                 const double B[restrict blocks][l][16])
{
    for (int b = 0; b < blocks; b++) {
        double acc[4][16];
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 16; j++)
                acc[i][j] = 0;
        for (int k = 0; k < l; k++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 16; j++)
                    acc[i][j] += A[k][i] * B[b][k][j];
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 16; j++)
                C[b][i][j] = acc[i][j];
    }
}
