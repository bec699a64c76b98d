#include <math.h>

void kernel(int n, double a[restrict n][n], double *b, double *c, double *x, double *y, int *p)
{
    (void)b, (void)c, (void)x, (void)y, (void)p;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                a[i][j] -= a[i][k] * a[j][k];
            a[i][j] /= 1.0 + a[j][j];
        }
        for (int k = 0; k < i; k++)
            a[i][i] -= a[i][k] * a[i][k];
        a[i][i] = sqrt(fabs(a[i][i]));
    }
}
