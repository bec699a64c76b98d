#define MAX(a, b) ((a) > (b) ? (a) : (b))
void triangular(int n, float L[n][n], float b[n])
{
    register int i, j;
    for (i = 0; i < n; i++) {
        for (j = MAX(0, i - 5); j < i; j++)
            b[i] -= L[i][j] * b[j];
        b[i] /= L[i][i];
    }
    for (i = n - 1; i >= 0; --i)
        for (j = i + 1; j <= n - 1; j++)
            b[i] -= L[j][i] * b[j];
}
