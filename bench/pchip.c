#include "bench/pchip.h"

#include <math.h>

/* Weighted harmonic mean of the secants on both sides; 0 at a turning point. */
static double inner_slope(double left_width, double right_width, double left,
                          double right)
{
    double a = 2 * right_width + left_width, b = right_width + 2 * left_width;
    return left * right <= 0 ? 0 : (a + b) / (a / left + b / right);
}

/* One-sided three-point formula, kept monotone. */
static double end_slope(double near_width, double far_width, double near, double far)
{
    double slope = ((2 * near_width + far_width) * near - near_width * far) /
                   (near_width + far_width);
    if (slope * near <= 0)
        return 0;
    return near * far <= 0 && fabs(slope) > 3 * fabs(near) ? 3 * near : slope;
}

static double secant(const double *x, const double *y, size_t i)
{
    return (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
}

void pchip_slopes(const double *x, const double *y, size_t nr, double *slope)
{
    if (nr < 3) {
        for (size_t i = 0; i < nr; i++)
            slope[i] = nr == 2 ? secant(x, y, 0) : 0;
        return;
    }
    for (size_t i = 1; i + 1 < nr; i++)
        slope[i] = inner_slope(x[i] - x[i - 1], x[i + 1] - x[i], secant(x, y, i - 1),
                               secant(x, y, i));
    size_t last = nr - 1;
    slope[0] = end_slope(x[1] - x[0], x[2] - x[1], secant(x, y, 0), secant(x, y, 1));
    slope[last] = end_slope(x[last] - x[last - 1], x[last - 1] - x[last - 2],
                            secant(x, y, last - 1), secant(x, y, last - 2));
}

double pchip_at(const double *x, const double *y, const double *slope, size_t nr,
                double at)
{
    size_t i = 0;
    if (at <= x[0])
        return y[0];
    if (at >= x[nr - 1])
        return y[nr - 1];
    while (at > x[i + 1])
        i++;
    double width = x[i + 1] - x[i], t = (at - x[i]) / width, s = 1 - t;
    return s * s * (1 + 2 * t) * y[i] + t * t * (1 + 2 * s) * y[i + 1] +
           width * t * s * (s * slope[i] - t * slope[i + 1]);
}
