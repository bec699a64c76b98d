#include <stddef.h>

void kernel(int m, double *restrict a, double *restrict b, double *c, double *restrict x, double *restrict y, int *p)
{
    size_t n = m < 0 ? 0 : (size_t)m;
    (void)c, (void)p;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            a[i * n + j] += x[i] * y[j];
    for (unsigned i = 1; i < n; i += 3)
        for (unsigned j = i; j < n; j++)
            b[i * n + j] = b[i * n + j] * 0.5 + x[j] + i;
}
