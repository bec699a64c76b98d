#define TILE 32
#define MIN(a, b) ((a) < (b) ? (a) : (b))
void f(int n, double A[n][n], double B[n][n])
{
    for (int ii = 0; ii < n; ii += TILE)
        for (int jj = 0; jj < n; jj += TILE)
            for (int i = ii; i < MIN(ii + TILE, n); i++)
                for (int j = jj; j < MIN(jj + TILE, n); j++)
                    B[j][i] = A[i][j];
}
