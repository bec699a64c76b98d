#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double square(double x) { return x * x; }
struct ops { double (*map)(double, int); };
void calls_all(int n, double *a, double (*f)(double), const struct ops *ops)
{
    double *t = malloc((size_t)n * sizeof *t);
    for (int i = 0; i < n; i++) {
        a[i] = sqrt(fabs(a[i])) + square(a[i] + 1) + f(a[i]) + (*f)(2) + ops->map(a[i], (i, n));
        __builtin_prefetch(&a[i + 8], 1, 3);
        printf("%d: %g\n" "next\t", i, a[i]);
        memset(t, 0, sizeof(double) * (size_t)n);
    }
    free(t);
}
