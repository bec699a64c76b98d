/* plan: interchange(j,i) */
/* builds: -DCELLS=12 | -DCELLS=64 | -DVALUE=float | -DVALUE=int | -DCELLS=20 -DVALUE=long
 */
#include "rebuilt.h"
#ifndef CELLS
#define CELLS 24
#endif
#ifndef VALUE
#define VALUE double
#endif
struct sheet {
    int used;
    VALUE cell[CELLS][CELLS];
};
static struct sheet sheet;
void kernel(struct sheet *s)
{
    for (int i = 0; i < CELLS; i++)
        for (int j = 0; j < CELLS; j++)
            s->cell[i][j] = s->cell[i][j] / 3 + j;
}
int main(int argc, char **argv)
{
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    VALUE *all = sheet.cell[0];
    for (int i = 0; i < CELLS * CELLS; i++)
        all[i] = next_number(&seed);
    kernel(&sheet);
    for (int i = 0; i < CELLS * CELLS; i++)
        printf("%a\n", (double)all[i]);
}
