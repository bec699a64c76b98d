#include <stddef.h>

void kernel(unsigned n, size_t m, double *restrict a, const double *restrict b)
{
    for (unsigned i = 0; i < n - 1; i++)
        a[i] = b[i + 1];
    for (int i = 0; i < 300; i++)
        a[(unsigned char)i] = b[i];
    for (int i = -1; i < m; i++)
        a[i + 1] = 0.0;
    for (unsigned i = 3; i != n; i++)
        a[i] = b[i];
}
