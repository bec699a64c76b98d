double locals(int n, int m, const double *x)
{
    double buffer[n][m + 1], fixed[2][3] = {{1, 2, 3}, {4, 5, 6}}, *rows[4], total = 0;
    double(*window)[m + 1] = buffer;
    const double *const base = x + 1, *end;
    for (int i = 0; i < n; i++) {
        int k = i + 2 * m;
        double t[4];
        for (int j = 0; j < 4; j++)
            t[j] = x[k + j] * fixed[j & 1][j % 3];
        rows[i % 4] = window[i];
        buffer[i][0] = t[0] + t[1] + t[2] + t[3] + base[i];
    }
    for (int i = 0; i < n; i++)
        total += rows[i % 4][0];
    end = base + n;
    return total + *end;
}
