/* After papers on prefetching of indirect accesses: an index that leads to an index
 * that leads to the data, with work between. Known remedy: the inner index prefetched
 * far ahead, the data half as far. */
#include <math.h>

#pragma inflight kernel
#pragma inflight set n = 500000
#pragma inflight set m = 16000000
#pragma inflight buffer c = index(m)
#pragma inflight buffer b = index(m)
void two_indices(int n, int m, double out[restrict n], const double a[restrict m],
                 const int b[restrict m], const int c[restrict n])
{
    for (int i = 0; i < n; i++) {
        double v = a[b[c[i]]];
        for (int k = 0; k < 8; k++)
            v = sqrt(v * v + 1.0);
        out[i] = v;
    }
}

void hand(int n, int m, double out[restrict n], const double a[restrict m],
          const int b[restrict m], const int c[restrict n])
{
    (void)m;
    for (int i = 0; i < n; i++) {
        int far = i + 16 < n ? i + 16 : n - 1, near = i + 8 < n ? i + 8 : n - 1;
        __builtin_prefetch(&b[c[far]]);
        __builtin_prefetch(&a[b[c[near]]]);
        double v = a[b[c[i]]];
        for (int k = 0; k < 8; k++)
            v = sqrt(v * v + 1.0);
        out[i] = v;
    }
}
