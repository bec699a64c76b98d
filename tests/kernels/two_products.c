/*
 * two_products: D = (A B) C by way of a temporary matrix that is handed in.
 */
#pragma inflight kernel
#pragma inflight set n = 480
void two_products(int n, double T[restrict n][n], double D[restrict n][n], const double A[restrict n][n],
                  const double B[restrict n][n], const double C[restrict n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            T[i][j] = 0;
            for (int k = 0; k < n; k++)
                T[i][j] += A[i][k] * B[k][j];
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            D[i][j] = 0;
            for (int k = 0; k < n; k++)
                D[i][j] += T[i][k] * C[k][j];
        }
}
