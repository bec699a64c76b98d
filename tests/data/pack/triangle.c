void kernel(int n, int m, int l, double alpha, double c[restrict n][m], const double a[restrict n][l], const double b[restrict l][m])
{
    (void)a;
    for (int i = 0; i < n; i++) {
        for (int j = i; j < m; j++)
            c[i][j] *= alpha;
        for (int k = 0; k < l; k++)
            for (int j = i; j < m; j++)
                c[i][j] += alpha * b[k][i] * b[k][j];
    }
}
