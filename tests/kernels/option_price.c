/*
 * option_price: Prices of options by the closed formula, with a small helper for the distribution.
 */
#include <math.h>

static double normal(double z)
{
    return 0.5 * erfc(-z * 0.70710678118654752);
}

#pragma inflight kernel
#pragma inflight set n = 600000
void option_price(long n, const double s[restrict n], const double k[restrict n], double t, double call[restrict n])
{
    for (long i = 0; i < n; i++) {
        double v = 0.3 * sqrt(t);
        double d1 = (log(s[i] / k[i]) + 0.045 * t) / v + 0.5 * v;

        call[i] = s[i] * normal(d1) - k[i] * exp(-0.045 * t) * normal(d1 - v);
    }
}
