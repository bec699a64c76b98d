/*
 * row_pointers: Rows named by pointers that are set once a row.
 */
#pragma inflight kernel
#pragma inflight set n = 3000
#pragma inflight set m = 3000
void row_pointers(int n, int m, double *restrict a, const double *restrict b)
{
    for (int i = 0; i < n; i++) {
        double *row = a + i * m;
        for (int j = 0; j < m; j++)
            row[j] = 0.5 * row[j] + b[j * n + i];
    }
}
