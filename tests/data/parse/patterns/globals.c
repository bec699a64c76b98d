enum { N = 64 };
static double A[N][N], B[N][N];
extern double C[N][N];
double C[N][N];
void f(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                C[i][j] += A[i][k] * B[k][j];
}
