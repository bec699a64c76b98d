/* plan: interchange(j,i) */
/* builds: -DBACK=1 | -DBACK=2 | -DBACK=0 | -DBACK=-1 | -DROUNDS=2 */
#include "rebuilt.h"
/* Whether the loops may change places hangs on the sign of BACK. */
#ifndef BACK
#define BACK 0
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
static double a[30 * 40];
void kernel(double m[30][40])
{
    for (int i = 1; i < 30 * 1; i++)
        for (int j = 4; j < 36; j++)
            m[i][j] = ROUNDS * 0.5 * m[i - 1][j + BACK] + 1;
}
int main(int argc, char **argv)
{
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    FILL(a, seed);
    kernel((double(*)[40])a);
    SHOW(a);
}
