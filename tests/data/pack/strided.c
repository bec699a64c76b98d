void kernel(int n, int m, int l, double alpha, double c[restrict n][m], const double a[restrict n][l], const double b[restrict l][m])
{
    double sum;
    unsigned count;
    for (int i = n - 1; i >= 0; i--)
        for (int j = 1; j < m; j += 3) {
            sum = c[i][j - 1];
            count = 0;
            for (int k = 0; k < l; k++) {
                if (a[i][k] > 0.5)
                    count++;
                sum += a[i][k] * b[k][j];
            }
            c[i][j] = sum * alpha + count;
        }
}
