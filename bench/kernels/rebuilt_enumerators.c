/* plan: tile(i:7,j:5) */
/* builds: -DWIDE=1 | -DWIDE=2 | -DEXTRA=3 | -DWIDE=3 -DEXTRA=1 | -DEXTRA=-4 */
#include "rebuilt.h"
#ifndef WIDE
#define WIDE 0
#endif
#ifndef EXTRA
#define EXTRA 0
#endif
enum { ROWS = 30 + 7 * WIDE, COLUMNS = 26 + EXTRA };
static double a[ROWS * COLUMNS];
void kernel(double m[ROWS][COLUMNS])
{
    for (int i = 1; i < ROWS; i++)
        for (int j = 1; j < COLUMNS; j++)
            m[i][j] = 0.5 * m[i - 1][j] + 0.25 * m[i][j - 1];
}
int main(int argc, char **argv)
{
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    FILL(a, seed);
    kernel((double(*)[COLUMNS])a);
    SHOW(a);
}
