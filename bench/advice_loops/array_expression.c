/* After array languages and libraries that compute each operation of an expression for
 * whole arrays. Known remedy: one loop for all operations. */
#pragma inflight kernel
#pragma inflight set n = 4000000
void array_expression(int n, double *restrict out, double *restrict t,
                      const double *restrict a, const double *restrict b,
                      const double *restrict c)
{
    for (int i = 0; i < n; i++)
        t[i] = a[i] * b[i];
    for (int i = 0; i < n; i++)
        t[i] = t[i] + c[i];
    for (int i = 0; i < n; i++)
        out[i] = t[i] * a[i];
    for (int i = 0; i < n; i++)
        out[i] = out[i] - b[i];
}

void hand(int n, double *restrict out, double *restrict t, const double *restrict a,
          const double *restrict b, const double *restrict c)
{
    for (int i = 0; i < n; i++) {
        t[i] = a[i] * b[i] + c[i];
        out[i] = t[i] * a[i] - b[i];
    }
}
