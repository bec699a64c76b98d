/*
 * accumulate_floats: Horner's rule, a sum, a product and extremes, in floating point, where the user
 * lets sums be reordered; the terms need no memory but one array.
 */
#include <math.h>
#pragma inflight kernel
#pragma inflight set n = 20000
#pragma inflight set x = 0.75
#pragma inflight assume associative
#pragma inflight buffer a = uniform(0.99, 1.01)
double accumulate_floats(int n, double x, const double a[restrict n], double result[restrict 4])
{
    double value = 0, product = 1, least = 1e300, greatest = -1e300, sum = 0;

    for (int i = 0; i < n; i++) {
        value = value * x + a[i];
        product *= a[i];
        least = a[i] < least ? a[i] : least;
        greatest = fmax(a[i], greatest);
        sum += 1 / (1 + a[i] * i);
    }
    result[0] = product;
    result[1] = least;
    result[2] = greatest;
    result[3] = sum;
    return value;
}
