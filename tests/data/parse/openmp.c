#include <omp.h>
#ifdef _OPENMP
typedef float real;
#else
typedef double real;
#endif
void openmp(int n, real *a)
{
    int threads = omp_get_max_threads();
#pragma omp parallel for schedule(static) reduction(+ : threads)
    for (int i = 0; i < n; i++)
        a[i] = threads;
}
