/*
 * gather_two_tables: Two look-ups by the same key, roots and quotients of what is found.
 */
#include <math.h>

#pragma inflight kernel
#pragma inflight set n = 2000000
#pragma inflight set m = 20000000
#pragma inflight buffer key = index(m)
void gather_two_tables(long n, long m, double out[restrict n], const double a[restrict m],
                       const double b[restrict m], const int key[restrict n])
{
    for (long i = 0; i < n; i++)
        out[i] = sqrt(a[key[i]] / (1.0 + sqrt(b[key[i]] / (2.0 + sqrt(a[key[i]])))));
}
