void matvec(int n, int m, double y[n], const double A[n][m], const double x[m])
{
    for (int i = 0; i < n; i++) {
        double s = 0.0;
        for (int j = 0; j < m; j++)
            s += A[i][j] * x[j];
        y[i] = s;
    }
}
