void kernel(int n, double b[restrict n][n], double c[restrict n][n])
{
#pragma omp parallel for collapse(2)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            c[i][j] = 2.0 * b[i][j];
}
