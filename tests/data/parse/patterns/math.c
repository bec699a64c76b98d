#include <math.h>
void f(int n, double *a, float *b)
{
    for (int i = 0; i < n; i++) {
        a[i] = sqrt(fabs(a[i])) + pow(a[i], 2.0) + fma(a[i], 2.0, 1.0);
        b[i] = expf(b[i]) + fminf(b[i], 1.0f);
    }
}
