void kernel(int n, int m, int l, double c[restrict n][m], const double a[restrict n][l],
            const double b[restrict l][m], double *y)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            c[i][j] *= 1.5;
            for (int k = 0; k < l; k++)
                c[i][j] += a[i][k] * b[k][j];
        }
    for (int p = 0; p < n; p++) {
        y[p] = 2 * y[p];
        for (int q = 0; q < m; q++)
            y[p] += c[p][q];
    }
}
