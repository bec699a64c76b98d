enum { N = 32 };
double A[N][N], B[N][N];
static double x[N], *y = x;
const int n = N - 1;
void globals(void)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < N; j++)
            A[i][j] = B[j][i] + x[j] * y[i];
}
