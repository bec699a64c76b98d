void kernel(int n, int m, int l, double alpha, double c[restrict n][m], const double a[restrict n][l], const double b[restrict l][m])
{
    (void)b;
    for (int i = 0; i < n; i++)
        for (int j = 2; j < (m < l ? m : l); j++)
            c[i][j] = a[i][j] * 2 + alpha;
}
