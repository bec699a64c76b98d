/* Many products of small matrices, each element a sum of its own. */
#pragma inflight kernel
#pragma inflight set batch = 10000
#pragma inflight set n = 24
#pragma inflight buffer C = zero
void small_products(int batch, int n, float C[restrict batch][n][n],
                    const float A[restrict batch][n][n],
                    const float B[restrict batch][n][n])
{
    for (int b = 0; b < batch; b++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                float sum = 0;
                for (int k = 0; k < n; k++)
                    sum += A[b][i][k] * B[b][k][j];
                C[b][i][j] = sum;
            }
}
