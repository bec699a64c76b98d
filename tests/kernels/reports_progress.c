/*
 * reports_progress: A call in the loop that does who knows what.
 */
#include <stdio.h>

#pragma inflight kernel
#pragma inflight set n = 1000
#pragma inflight buffer a = uniform(1, 2)
void reports_progress(long n, double a[restrict n])
{
    for (long i = 0; i < n; i++) {
        a[i] = 0.5 * a[i];
        if (a[i] < 0.0)
            printf("negative at %ld\n", i);
    }
}
