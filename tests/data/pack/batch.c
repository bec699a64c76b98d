void kernel(int n, int m, int l, double alpha, double c[restrict 2][n][m], const double a[restrict 2][n][l], const double b[restrict 2][l][m])
{
    (void)alpha;
    for (int t = 0; t < 2; t++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                for (int k = 0; k < l; k++)
                    c[t][i][j] += a[t][i][k] * b[t][k][j];
}
