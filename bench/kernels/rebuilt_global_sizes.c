/* plan: interchange(j,i) */
/* builds: -DSIZE=10 | -DSIZE=70 | -DSIZE=41 -DLESS=2 | -DLESS=5 | -DSIZE=40 */
#include "rebuilt.h"
#ifndef SIZE
#define SIZE 40
#endif
#ifndef LESS
#define LESS 0
#endif
double grid[SIZE][SIZE];
double line[SIZE];
static const int last = SIZE - 1 - LESS;
void kernel(void)
{
    for (int i = 0; i <= last; i++)
        for (int j = 0; j <= last; j++)
            grid[i][j] = line[i] * line[j] + last;
}
int main(int argc, char **argv)
{
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    FILL(line, seed);
    kernel();
    double *all = grid[0];
    for (int i = 0; i < SIZE * SIZE; i++)
        printf("%a\n", all[i]);
}
