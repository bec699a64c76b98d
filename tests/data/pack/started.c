void kernel(int n, int m, int l, double alpha, double c[restrict n][m], const double a[restrict n][l], const double b[restrict l][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            c[i][j] = alpha;
            for (int k = 0; k < l; k++)
                c[i][j] += alpha * a[i][k] * b[k][j];
        }
}
