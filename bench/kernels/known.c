/*
 * Kernels of which everything is known beforehand: operations, bytes of load and store
 * instructions (bench/metric_kernels.c). Double precision. The flops of a pair of bodies
 * are 20, square root and division one each.
 */
#include <math.h>

void known_triad(long n, double a[restrict n], const double b[restrict n],
                 const double c[restrict n])
{
    for (long i = 0; i < n; i++)
        a[i] = b[i] + 3.0 * c[i];
}

void known_add(long n, double a[restrict n], const double b[restrict n],
               const double c[restrict n])
{
    for (long i = 0; i < n; i++)
        a[i] = b[i] + c[i];
}

void known_mul(long n, double a[restrict n], const double b[restrict n],
               const double c[restrict n])
{
    for (long i = 0; i < n; i++)
        a[i] = b[i] * c[i];
}

void known_div(long n, double a[restrict n], const double b[restrict n],
               const double c[restrict n])
{
    for (long i = 0; i < n; i++)
        a[i] = b[i] / c[i];
}

void known_bodies(long n, double ax[restrict n], double ay[restrict n],
                  double az[restrict n], const double x[restrict n],
                  const double y[restrict n], const double z[restrict n],
                  const double m[restrict n])
{
    for (long i = 0; i < n; i++) {
        double fx = 0, fy = 0, fz = 0;

        for (long j = 0; j < n; j++) {
            double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            double near = 1.0 / sqrt(dx * dx + dy * dy + dz * dz + 0.01);
            double force = m[j] * (near * near * near);

            fx += force * dx;
            fy += force * dy;
            fz += force * dz;
        }
        ax[i] = fx;
        ay[i] = fy;
        az[i] = fz;
    }
}

void known_product(long n, double c[restrict n][n], const double a[restrict n][n],
                   const double b[restrict n][n])
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            double sum = 0;

            for (long k = 0; k < n; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}

/* The same number of accesses whatever the step: rounds times n / step of them. */
void known_conflict(long n, long step, long rounds, double a[restrict n])
{
    for (long r = 0; r < rounds; r++)
        for (long i = 0; i < n; i += step)
            a[i] = 1.012 * a[i];
}
