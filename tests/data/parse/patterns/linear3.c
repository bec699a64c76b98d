void f(int n, int m, int l, float *restrict a, const float *restrict b)
{
    int i, j, k;
    for (i = 1; i < n - 1; i++)
        for (j = 1; j < m - 1; j++)
            for (k = 1; k < l - 1; k++)
                a[(i * m + j) * l + k] = b[((i - 1) * m + j) * l + k] + b[(i * m + j) * l + k + 1];
}
