/*
 * simd_already: A loop that is told to be vectors; the rest of the nest is open.
 */
#pragma inflight kernel
#pragma inflight set n = 3000
void simd_already(int n, double A[restrict n][n], const double B[restrict n][n])
{
    for (int i = 0; i < n; i++) {
#pragma omp simd
        for (int j = 0; j < n; j++)
            A[i][j] = 0.5 * A[i][j] + B[i][j];
    }
}
