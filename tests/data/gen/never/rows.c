void kernel(int n, double a[restrict][10], double b[restrict n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            a[i][j + 1] = a[i][j] + 1;
            b[i][j] *= 2;
        }
}
