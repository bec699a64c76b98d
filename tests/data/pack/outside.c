void kernel(int n, int m, int l, double alpha, double c[restrict n][m], const double a[restrict n][l], const double b[restrict l][m])
{
    (void)b;
    for (int i = 0; i < n; i++)
        for (int j = 1; j < m; j++)
            c[i][j] = alpha * c[i][j - 1] + (a[i][0] > 0 ? c[i][0] : j);
}
