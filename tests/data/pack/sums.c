void kernel(int n, int m, int l, double alpha, double c[restrict n][m], const double a[restrict n][l], const double b[restrict l][m])
{
    (void)b;
    for (int i = 0; i < n; i++) {
        c[i][0] = alpha;
        for (int j = 0; j < l; j++)
            c[i][0] += a[i][j];
        c[i][0] *= 2;
    }
}
