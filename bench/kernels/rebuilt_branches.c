/* plan: unroll_jam(i:3) */
/* builds: -DDAMPED | -DFAR=2 | -DDAMPED -DFAR=3 | -DUNUSED=7 | -DFAR=0 */
#include "rebuilt.h"
static double a[50 * 50], x[50];
void kernel(int n, double m[n][50], const double *restrict v)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 50; j++) {
#ifdef DAMPED
            m[i][j] = m[i][j] * 0.5 + v[j];
#elif defined FAR && FAR > 0
            m[i][j] = m[i][j] * FAR + v[j];
#else
            m[i][j] = m[i][j] + v[j];
#endif
        }
}
int main(int argc, char **argv)
{
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    FILL(a, seed);
    FILL(x, seed);
    kernel(50, (double(*)[50])a, x);
    SHOW(a);
}
