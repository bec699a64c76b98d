void kernel(int n, int m, int l, double alpha, double c[restrict 2][n][m], const double a[restrict n][l], const double b[restrict l][m])
{
    for (int i = 0; i < n; i++)
        for (int h = 0; h < m; h++)
            for (int j = 0; j < 2; j++) {
                c[j][i][h] = alpha;
                for (int k = 0; k < l; k++)
                    c[j][i][h] += a[i][k] * c[1 - j][i][h] + b[k][h];
            }
}
