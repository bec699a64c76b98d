#include <stddef.h>

void kernel(int n, double a[restrict n][n], double b[restrict n][n], double *c, double x[restrict n], double *y, int *p)
{
    size_t m = (size_t)n;
    (void)c, (void)y, (void)p;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++)
            a[i][j] = b[j][i] + (double)(i * 3 + j) * x[i];
}
