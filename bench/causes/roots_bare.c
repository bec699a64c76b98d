/* Eight nested roots, one after the other: each root waits for the one before; no memory.
 */
#include <math.h>

#pragma inflight kernel
#pragma inflight set n = 500000
#pragma inflight set c = 2.5
double roots_bare(long n, double c)
{
    double sum = 0;
    for (long k = 0; k < 8; k++) {
        double x = (double)k;
        for (long i = 0; i < n; i++)
            x = sqrt(x + c);
        sum += x;
    }
    return sum;
}

/* All eight at once. */
double remedy(long n, double c)
{
    double sum = 0, x[8];
    for (long k = 0; k < 8; k++)
        x[k] = (double)k;
    for (long i = 0; i < n; i++)
        for (long k = 0; k < 8; k++)
            x[k] = sqrt(x[k] + c);
    for (long k = 0; k < 8; k++)
        sum += x[k];
    return sum;
}
