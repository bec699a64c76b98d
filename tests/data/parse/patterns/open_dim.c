void f(int n, double A[][20])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 20; j++)
            A[i][j] = i - j;
}
