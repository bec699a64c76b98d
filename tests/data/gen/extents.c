/* Arrays of parameters that may overlap, and have no last element when n is 0. */
void kernel(int n, double a[n][n], double b[n][n], double *c, double *x, double *y, int *p)
{
    (void)c, (void)x, (void)y, (void)p;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = b[j][i] + 1;
}
