/* product_array without an array: the factor changes little from trip to trip. */
#pragma inflight kernel
#pragma inflight set n = 10000000
#pragma inflight set x = 1.0000001
double product_bare(int n, double x)
{
    double p = 1, factor = x;
    for (int i = 0; i < n; i++) {
        p *= factor;
        factor = 2.0 - factor;
    }
    return p;
}
