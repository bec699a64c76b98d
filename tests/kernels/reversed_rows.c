/*
 * reversed_rows: Rows mirrored, with linear subscripts counted from the end, column by column.
 */
#pragma inflight kernel
#pragma inflight set n = 3000
#pragma inflight set m = 3000
void reversed_rows(int n, int m, double *restrict out, const double *restrict in)
{
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            out[i * m + (m - 1 - j)] = in[i * m + j];
}
