/*
 * pointer_rows: Rows allocated one by one; nobody knows whether they overlap.
 */
#pragma inflight kernel
#pragma inflight set n = 1000
void pointer_rows(int n, double **a)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] *= 2.0;
}
