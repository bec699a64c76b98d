/* After every textbook's product of matrices, with the sum in a local. Known remedy:
 * the loop over columns inside (order row, depth, column), then blocks. */
#pragma inflight kernel
#pragma inflight set n = 480
void matmul_textbook(int n, double c[restrict n][n], const double a[restrict n][n],
                     const double b[restrict n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}

void hand(int n, double c[restrict n][n], const double a[restrict n][n],
          const double b[restrict n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            c[i][j] = 0;
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                c[i][j] += a[i][k] * b[k][j];
    }
}
