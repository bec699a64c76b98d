/* After handbooks of numerical methods: a continued fraction from its end. Nothing to
 * gain: each division waits for the one before, and there is one fraction only. */
#pragma inflight kernel
#pragma inflight set n = 6000000
double continued_fraction(int n, const double a[restrict n], const double b[restrict n])
{
    double x = 1;
    for (int i = 0; i < n; i++)
        x = a[i] + b[i] / x;
    return x;
}
