/* After lectures on chaos, and benchmarks of dependent arithmetic: one orbit. Nothing
 * to gain: each step waits for the two multiplications of the step before, and no
 * rounding may change. */
#pragma inflight kernel
#pragma inflight set n = 12000000
#pragma inflight set r = 3.7
#pragma inflight set x = 0.4
double logistic_map(int n, double r, double x)
{
    for (int i = 0; i < n; i++)
        x = r * x * (1 - x);
    return x;
}
