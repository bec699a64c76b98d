#define b(i, j) b[i][j]
#define s(x) ((x) + 1)

/* Macros with parameters that have the names of variables. */
void kernel(int n, double a[restrict n][n], double b[restrict n][n], double *c, double x[restrict n], double y[restrict n], int *p)
{
    (void)c, (void)p, (void)y;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double s = s(a[i][j]);
            b(i, j) += s * x[j];
        }
}
