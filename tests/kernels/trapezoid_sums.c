/*
 * trapezoid_sums: A band of a matrix, bounded by minimum and maximum, column by column.
 */
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

#pragma inflight kernel
#pragma inflight set n = 4000
#pragma inflight set band = 1500
void trapezoid_sums(int n, int band, double s[restrict n], const double A[restrict n][n])
{
    for (int j = 0; j < n; j++)
        for (int i = MAX(0, j - band); i < MIN(n, j + band + 1); i++)
            s[j] += A[i][j];
}
