#include <complex.h>
void f(int n, double complex *a)
{
    for (int i = 0; i < n; i++)
        a[i] *= 2.0;
}
