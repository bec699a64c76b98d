/* fill_flat by rows: numbers that are computed from their places. */
#pragma inflight kernel
#pragma inflight set rows = 8192
#pragma inflight set n = 4096
void fill_2d(int rows, int n, int a[restrict rows][n])
{
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < n; i++)
            a[r][i] = r ^ i;
}
