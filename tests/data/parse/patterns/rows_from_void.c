void f(int n, int m, double *b, double *out)
{
    double (*B)[m] = (void *)b;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            out[i] += B[i][j];
}
