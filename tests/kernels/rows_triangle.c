/*
 * rows_triangle: Rows of different lengths, one of them by a pointer of its own.
 */
#pragma inflight kernel
#pragma inflight set n = 1000
void rows_triangle(int n, int **a, int **b)
{
    for (int i = 0; i < n; i++) {
        const int *row = b[i];
        for (int j = 0; j <= i; j++)
            a[i][j] = row[j] + 3 * a[i][j];
    }
}
