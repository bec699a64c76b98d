#include <math.h>

void kernel(int n, double a[restrict n][n], double b[restrict n][n], double c[restrict n][n], double x[restrict n], double *y, int *p)
{
    (void)y, (void)p;
    for (int i = 0; i < n; i++) {
        const double r = x[i] * 0.5;
        for (int j = 0; j < n; j++) {
            double t = a[i][j] + r;
            double u = t * t;
            t = u - b[i][j];
            c[i][j] = sqrt(fabs(t)) + u;
        }
    }
}
