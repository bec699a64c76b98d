/*
 * bicg_columns: Both products of a bi-conjugate gradient step in one nest whose inner loop goes down a
 * column.
 */
#pragma inflight kernel
#pragma inflight set n = 3500
#pragma inflight set m = 3500
void bicg_columns(int n, int m, double *restrict s, double *restrict q, const double *restrict a,
                  const double *restrict p, const double *restrict r)
{
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++) {
            s[j] += r[i] * a[i * m + j];
            q[i] += a[i * m + j] * p[j];
        }
}
