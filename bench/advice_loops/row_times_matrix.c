/* After questions about a row vector times a matrix in C, with the sum down a column.
 * Known remedy: rows outside: the results are added to, row by row. */
#pragma inflight kernel
#pragma inflight set n = 5000
#pragma inflight set m = 3000
void row_times_matrix(int n, int m, double *restrict y, const double *restrict x,
                      const double (*restrict a)[m])
{
    for (int j = 0; j < m; j++) {
        y[j] = 0;
        for (int i = 0; i < n; i++)
            y[j] += x[i] * a[i][j];
    }
}

void hand(int n, int m, double *restrict y, const double *restrict x,
          const double (*restrict a)[m])
{
    for (int j = 0; j < m; j++)
        y[j] = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            y[j] += x[i] * a[i][j];
}
