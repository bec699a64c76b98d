/* plan: unroll(j:4) */
/* builds: -DTURNED | -DCLAMPED | -DTURNED -DCLAMPED | -DSTRIDE=33 | -DSTRIDE=40 -DCLAMPED
 */
#include "rebuilt.h"
#ifndef STRIDE
#define STRIDE 32
#endif
#ifdef TURNED
#define AT(i, j) ((j)*STRIDE + (i))
#else
#define AT(i, j) ((i)*STRIDE + (j))
#endif
#ifdef CLAMPED
#define SHAPE(x) ((x) > 1 ? 1 : (x))
#else
#define SHAPE(x) ((x)*0.5)
#endif
static double a[STRIDE * STRIDE], b[STRIDE * STRIDE];
void kernel(int n, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            y[AT(i, j)] = SHAPE(x[AT(j, i)]);
}
int main(int argc, char **argv)
{
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    FILL(a, seed);
    kernel(30, a, b);
    SHOW(b);
}
