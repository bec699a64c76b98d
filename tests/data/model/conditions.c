#define MIN(a, b) ((a) < (b) ? (a) : (b))

void kernel(int n, int m, int flag, double a[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < MIN(n, m + i); j++)
            if ((j < i && !(i == 3)) || (j > 2 * i && flag))
                a[i][j] = a[j][i];
}
