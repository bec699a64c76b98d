void f(int n, double (*a)[8])
{
    for (int i = 0; i < n; i++) {
        double w[8] = {0};
        for (int j = 0; j < 8; j++)
            w[7 - j] = a[i][j];
        for (int j = 0; j < 8; j++)
            a[i][j] = w[j];
    }
}
