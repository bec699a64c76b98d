void kernel(int n, int m, int l, double alpha, double c[restrict n][m], const double a[restrict n][l], const double b[restrict l][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 1; j < m; j++)
            c[i][j - 1] = alpha;
        for (int k = 0; k < l; k++)
            for (int j = 0; j < m; j++)
                c[i][j] += a[i][k] * alpha + b[k][j] * alpha * a[i][k];
    }
}
