#include <stddef.h>

void kernel(int n, int m, int l, double alpha, double *restrict c, const double *restrict a, const double *restrict b)
{
    size_t un = (size_t)n, um = (size_t)m, ul = (size_t)l;
    (void)alpha;
    for (size_t i = 0; i < un; i++)
        for (size_t j = 0; j < um; j++)
            for (size_t k = 0; k < ul; k++)
                c[i * um + j] += a[i * ul + k] * b[k * um + j];
}
