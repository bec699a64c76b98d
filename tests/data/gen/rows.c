/* Rows of varying length, as in CSR: the inner loop cannot be modelled and stays as it is. */
void kernel(int n, double a[restrict n][n], double b[restrict n][n], double *c, double x[restrict n], double y[restrict n], int p[restrict n])
{
    (void)c;
    for (int i = 0; i < n; i++) {
        double s = 0.0;
        for (int k = 0; k < p[i]; k++)
            s += a[i][k] * x[p[k]];
        y[i] = s;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (a[i][j] > 0.5)
                b[i][j] = a[i][j] * 3.0;
            else
                b[i][j] += x[j];
}
