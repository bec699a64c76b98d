void kernel(int n, int m, int l, double alpha, double c[restrict n][m], const double a[restrict l][n], const double b[restrict m][l])
{
    (void)alpha;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < l; k++)
                c[i][j] -= a[k][i] * b[j][k];
}
