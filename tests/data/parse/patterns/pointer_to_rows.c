void f(int n, int m, double (*restrict P)[m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            (*(P + i))[j] += P[i][0];
}
