/* Loops that count in other ways than `for (i = 0; i < n; i++)`, and what their iterators
 * are behind them. */
void kernel(int n, double *restrict a, double *restrict b, double *c, double *restrict x, double *restrict y, int *p)
{
    (void)c;
    (void)p;
    int i = 0, j, k;
    while (i < n) { /* rows */
        j = 0;
        while (j < n) {
            b[j * n + i] += 0.5 * a[i * n + j];
            j++;
        }
        i++;
    }
    if (i > 2)
        x[i - 1] += 1;
    for (k = n - 1; k >= 1; k--)
        y[k] += 0.5 * x[k];
    x[n ? k : 0] += k; /* -1 where nothing runs */
    unsigned u = 1, m = (unsigned)n;
    while (u < m) {
        u++;
        x[u - 1] += y[u - 2];
    }
    if (m)
        y[0] += u;
    for (int r = 0; r < n; r++)
        for (double *to = a + r * n, *from = b + (n - 1); to < a + (r + 1) * n; to++, from--)
            *to += *from;
    for (int r = 0, s = n - 1; r < n; r++, s--)
        for (double *to = c + r * n, *from = x; from != x + n; from++, to += 1)
            *to += *from + b[s * n];
    for (int r = 0; r < n; r++) {
        int s = 0, t;
        while (s < n) {
            a[r * n + s] *= 0.5;
            s++;
        }
        for (t = 0; t < r; t++)
            a[r * n + t] += x[t];
        s = r;
        while (s < n)
            a[r * n + s++] -= y[r];
    }
}
