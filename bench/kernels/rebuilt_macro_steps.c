/* plan: interchange(j,i) */
/* builds: -DSTEPS=2 | -DSTEPS=9 | -DN=20 | -DN=40 -DSTEPS=3 | -DWEIGHT=0.5 */
#include "rebuilt.h"
#ifndef STEPS
#define STEPS 5
#endif
#ifndef N
#define N 32
#endif
#ifndef WEIGHT
#define WEIGHT 0.25
#endif
static double a[N * N], b[N];
void kernel(double m[N][N], const double *restrict x)
{
    for (int t = 0; t < STEPS; t++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                m[i][j] += WEIGHT * x[j];
}
int main(int argc, char **argv)
{
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    FILL(a, seed);
    FILL(b, seed);
    kernel((double(*)[N])a, b);
    SHOW(a);
}
