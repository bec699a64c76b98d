/* plan: vec(i:8) */
/* builds: -DREAL=float | -DREAL=double | -DREAL=int | -DREAL=short | -DREAL=unsigned */
#include "rebuilt.h"
#ifndef REAL
#define REAL double
#endif
typedef REAL real;
static real a[203], b[203];
void kernel(int n, const real *restrict x, real *restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] = y[i] * x[i] + x[i];
}
int main(int argc, char **argv)
{
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    FILL(a, seed);
    FILL(b, seed);
    kernel(203, a, b);
    SHOW(b);
}
