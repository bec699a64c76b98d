#include "local.h"
#define COUNT SIZE
static void scale(struct body *b, int n);
static void scale(struct body *b, int n)
{
    b->mass *= n;
}
/* Only this function is copied from; scale() has no loop. */
void include(struct body *b, vec out)
{
    for (int i = 0; i < COUNT; i++) {
        scale(b + i, i);
        out[i] = TWICE(b[i].position[2]) + (b + i)->mass;
    }
}
