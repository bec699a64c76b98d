void grid(int n, int m, double c, const double *restrict u, double *restrict v)
{
    for (int j = 1; j < m - 1; j++)
        for (int i = 1; i < n - 1; i++)
            v[i * m + j] = u[i * m + j] + c * (u[(i + 1) * m + j] + u[(i - 1) * m + j]);
}
