/*
 * gemm_linear: C = A B on arrays of one dimension, summed in a scalar.
 */
#pragma inflight kernel
#pragma inflight set n = 640
void gemm_linear(int n, double *restrict c, const double *restrict a, const double *restrict b)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}
