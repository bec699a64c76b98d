/* Pointers to rows. */
#pragma inflight kernel
#pragma inflight set n = 40
#pragma inflight set m = 23
void rows(int n, int m, double **c, const double *b)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            c[i][j] = 2 * c[i][j] + b[i];
}
