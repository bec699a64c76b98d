/*
 * rows_product: A matrix product whose matrices are pointers to rows.
 */
#pragma inflight kernel
#pragma inflight set n = 240
#pragma inflight set m = 230
#pragma inflight set p = 220
void rows_product(int n, int m, int p, double **a, double **b, double **c)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < p; k++)
                c[i][j] += a[i][k] * b[k][j];
}
