void kernel(int n, double *restrict a, double b[restrict n][n], double *restrict x, int p[restrict n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[p[j]] = b[i][j] + x[0] * a[p[j]];
}
