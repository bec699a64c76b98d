void kernel(int n, double *restrict a, double b[restrict n][n], double c[restrict n][n], double x[restrict n], double y[restrict n], int p[restrict n])
{
    int i, j;
    double t;
    (void)a, (void)p;
    #pragma omp parallel for private(j, t) schedule(dynamic, 2)
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            t = b[i][j] * x[j];
            c[i][j] = t + y[i];
        }
}
