/* After Cholesky's factorization by dot products of rows, as books on numerical methods
 * print it. Known remedy: four rows side by side: four sums that do not wait for each
 * other. */
#include <math.h>

#pragma inflight kernel
#pragma inflight set n = 800
#pragma inflight buffer a = dominant(n)
#pragma inflight buffer l = zero
void cholesky_dots(int n, double l[restrict n][n], const double a[restrict n][n])
{
    for (int j = 0; j < n; j++) {
        double d = a[j][j];
        for (int k = 0; k < j; k++)
            d -= l[j][k] * l[j][k];
        l[j][j] = sqrt(d);
        for (int i = j + 1; i < n; i++) {
            double s = a[i][j];
            for (int k = 0; k < j; k++)
                s -= l[i][k] * l[j][k];
            l[i][j] = s / l[j][j];
        }
    }
}

void hand(int n, double l[restrict n][n], const double a[restrict n][n])
{
    for (int j = 0; j < n; j++) {
        double d = a[j][j];
        int i = j + 1;
        for (int k = 0; k < j; k++)
            d -= l[j][k] * l[j][k];
        l[j][j] = sqrt(d);
        for (; i + 3 < n; i += 4) {
            double s0 = a[i][j], s1 = a[i + 1][j], s2 = a[i + 2][j], s3 = a[i + 3][j];
            for (int k = 0; k < j; k++) {
                double f = l[j][k];
                s0 -= l[i][k] * f;
                s1 -= l[i + 1][k] * f;
                s2 -= l[i + 2][k] * f;
                s3 -= l[i + 3][k] * f;
            }
            l[i][j] = s0 / l[j][j];
            l[i + 1][j] = s1 / l[j][j];
            l[i + 2][j] = s2 / l[j][j];
            l[i + 3][j] = s3 / l[j][j];
        }
        for (; i < n; i++) {
            double s = a[i][j];
            for (int k = 0; k < j; k++)
                s -= l[i][k] * l[j][k];
            l[i][j] = s / l[j][j];
        }
    }
}
