/* plan: interchange(j,i) */
/* builds: -funsigned-char | -fsigned-char | -DKIND=int | -DLIMIT=3 | -DKIND=short
 * -DLIMIT=100 */
#include "rebuilt.h"
#ifndef KIND
#define KIND char
#endif
#ifndef LIMIT
#define LIMIT 20
#endif
static KIND key[40];
static double a[40 * 40];
void kernel(double m[40][40], const KIND *restrict k)
{
    for (int i = 0; i < 40; i++)
        for (int j = 0; j < 40; j++)
            m[i][j] += k[j] < LIMIT ? k[j] : LIMIT;
}
int main(int argc, char **argv)
{
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    FILL(a, seed);
    for (int i = 0; i < 40; i++)
        key[i] = (KIND)(signed char)(next_number(&seed) * 15);
    kernel((double(*)[40])a, key);
    SHOW(a);
}
