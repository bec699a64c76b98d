static int team_min(int a)
{
    return a - 1;
}

double team(int n, double *restrict s, double x[restrict n], double h[restrict n], int p[restrict n])
{
    double sum = 0.0, t[4][n];
    int m = team_min(n);
    for (int i = 0; i < n; i++)
        sum += x[i];
    for (int i = 0; i < m; i++)
        h[p[i]] += 1.0;
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < n; i++)
            t[j][i] = x[i] * j;
    for (int i = 0; i < n; i++)
        s[i] = t[0][i] + t[3][i];
    return sum + (double)sizeof(t);
}
