#pragma inflight kernel
#pragma inflight set n = 90
#pragma inflight set m = 70
#pragma inflight buffer y = zero
void product(int n, int m, const float A[n][m], const float x[m], float y[restrict n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            y[i] += A[i][j] * x[j];
}
