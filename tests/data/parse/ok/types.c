#include <stdint.h>
#include <stdbool.h>
#include <stddef.h>
typedef float real;
typedef real row[8];
typedef struct { real x, y; int id[2]; } point;
struct grid { int nx; const real *v; union { int i; float f; }; unsigned bits : 3;
              union { struct { int lo, hi; }; double both; }; };
enum { SIDE = 4, AREA = SIDE * SIDE };
static const int width = 12;
extern int counter;
static double table[SIDE][AREA];
uint32_t types(int64_t n, uint8_t *bytes, point *restrict p, struct grid *g, real (*P)[n], row *rows, bool flag,
               real **lists, unsigned long long u, const char *name, long double ld, const struct grid *h)
{
    uint32_t sum = 0;
    real w[4] = {1, 2, 3, 4}, *q = w;
    static int calls;
    const real half = 0.5f;
    for (int64_t i = 0; i < n; i++) {
        p[i].x += p[i + 1].y * g->v[i] + half;
        p[i].id[1] = (int)i % SIDE;
        g->i = (int)u;
        g->bits = 3;
        g->lo = g->hi;
        P[i][0] = rows[i][7] + lists[i][2];
        table[i % SIDE][AREA - 1] = w[i & 3] + q[0];
        bytes[i] = (uint8_t)(sum >> 8) ^ 'a' ^ name[0];
        sum += flag ? (uint32_t)sizeof(point) : 0x1Fu + width;
        ld += (long double)1.5L * h->nx;
        counter += calls++;
        *(volatile int *)&counter = (int)ld;
    }
    return sum;
}
