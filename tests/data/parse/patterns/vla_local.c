void f(int n, double *a)
{
    double t[n + 1][3];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            t[i][k] = a[3 * i + k];
    for (int i = 0; i < n; i++)
        a[i] = t[i][2] - t[i][0];
}
