void kernel(int n, int m, int l, double alpha, double c[restrict n][m], const double a[restrict n][l], const double b[restrict l][m])
{
    (void)alpha;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double sum = 0;
            for (int k = 0; k < l; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}
