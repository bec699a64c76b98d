#include <stddef.h>
void f(int n, double *a, const double *b)
{
    double s = 0;
#pragma omp parallel for schedule(static) reduction(+ : s)
    for (int i = 0; i < n; i++)
        s += b[i];
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
#pragma omp simd
            for (int j = 0; j < 4; j++)
                a[4 * i + j] = s;
        }
    }
}
