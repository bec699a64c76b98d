/* plan: unroll(i:4) */
/* builds: -DEXACT | -DSHIFT=2.0 | -DEXACT -DSHIFT=1.5 | -DPOWER=3 | -DFAST */
#include "rebuilt.h"
#ifndef SHIFT
#define SHIFT 0.5
#endif
#ifndef POWER
#define POWER 2
#endif
#if POWER == 2
#define RAISED(x) ((x) * (x))
#else
#define RAISED(x) ((x) * (x) * (x))
#endif
static double a[99], b[99];
#ifdef FAST
static double shaped(double x)
{
    return x;
}
#else
static double shaped(double x)
{
#ifdef EXACT
    return x / 3 + SHIFT;
#else
    return RAISED(x) + SHIFT;
#endif
}
#endif
void kernel(int n, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] = shaped(x[i]);
}
int main(int argc, char **argv)
{
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    FILL(a, seed);
    kernel(99, a, b);
    SHOW(b);
}
