void f(int n, int m, double A[n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 2 * i + 1; j < m && j <= 2 * i + 9; j++)
            A[i][j] = 0;
}
