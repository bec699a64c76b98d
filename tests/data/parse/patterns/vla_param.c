void f(int n, int m, double A[n][m], const double x[restrict static n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            A[i][j] *= x[i];
}
