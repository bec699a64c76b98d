/* Conditions that are exact, and control that depends on data. */
#define MIN(a, b) ((a) < (b) ? (a) : (b))

static double half(double v)
{
    return 0.5 * v;
}

void kernel(int n, double *restrict a, double *restrict b, double *c, double *restrict x, double *restrict y, int *p)
{
    (void)c;
    unsigned m = (unsigned)n;
    for (int t = 0; t < 3; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                if ((i + j + t) % 2 == 0)
                    a[i * n + j] = 0.25 * (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < MIN(n, 2 * i + 1); j++) {
            if ((j < i && !(i == 3)) || j > i + 1)
                b[i * n + j] = b[j * n + i] + 1.0;
            else if (i & 1)
                b[i * n + j] -= half(x[j >> 1]);
        }
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int k = p[i]; k < p[n - 1 - i]; k++) {
            if (x[k] > 0.75)
                break;
            sum += x[k] * y[p[k]];
        }
        if (sum > 0.5)
            y[i] = sum;
        int v = p[i];
        while (v > 2)
            v /= 2;
        a[i * n + v] += sum;
    }
    for (unsigned i = 0; i < m - 1; i++)
        x[i] += y[i + 1];
    for (unsigned i = 1; i != m; i++)
        b[i] = b[i] * 2.0 + y[i - 1];
}
