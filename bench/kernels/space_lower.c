/* The lower half of a matrix times its own transpose. */
#pragma inflight kernel
#pragma inflight set n = 400
#pragma inflight set m = 400
void lower_product(int n, int m, double c[restrict n][n], const double a[restrict n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            for (int k = 0; k < m; k++)
                c[i][j] += a[i][k] * a[j][k];
}
