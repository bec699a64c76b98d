/* Structures. */
#include "drive.h"

struct box {
    int lo, hi;
    double *v;
    double w[4];
};
struct grid {
    int nx, ny;
    struct box box;
    struct box *far;
    double *v;
    union {
        double d;
        long l;
    } u;
    unsigned flags : 3;
};
typedef struct {
    struct { double x, y; } pos;
    double v[2];
    float m;
} point;
static struct grid world;
static point points[64];

void field_bounds(struct grid *g)
{
    for (int i = 0; i < g->ny; i++)
        for (int j = 0; j < g->nx; j++)
            g->v[i * g->nx + j] += g->box.v[j * g->ny + i] * g->far->w[j & 3];
}

void field_global(int n)
{
    for (int i = 0; i < world.nx; i++)
        world.box.v[i] = world.far->v[i] + n;
}

/* A pointer on the way is set: g->far->v is no variable. */
void field_moved(struct grid *g, int n)
{
    for (int i = 0; i < n; i++) {
        g->far = &g->box;
        g->far->v[i] = i;
    }
}

void field_written(struct grid *g, int n)
{
    g->nx = n;
    for (int i = 0; i < g->nx; i++)
        g->v[i] = g->u.d + g->flags;
}

void field_of_local(double *x, int n)
{
    struct box k = {0, n, x, {1, 2, 3, 4}};
    struct grid g;
    g.box = k;
    g.nx = n;
    for (int i = g.box.lo; i < g.box.hi; i++)
        g.box.v[i] = k.w[i % 4] + g.nx;
}

void field_in_array(point *p, int n)
{
    for (int i = 0; i < n; i++) {
        p[i].pos.x += p[i].v[0] * p[i].m;
        p[i].pos.y += p[i].v[1] * (*(p + i)).m;
        c[i] = p[i].pos.x + p->pos.y;
    }
}

void field_sum(const struct grid *grids, int n, double *out)
{
    for (int i = 0; i < n; i++) {
        const struct grid *g = &grids[i];
        out[i] = 0;
        for (int k = 0; k < g->nx; k++)
            out[i] += g->v[k];
    }
}

static void set_up(int n)
{
    static struct box far;
    far = (struct box){0, n, c, {5, 6, 7, 8}};
    world = (struct grid){n, n, {1, n, b, {1, 2, 3, 4}}, &far, a, {0.5}, 5};
    for (int i = 0; i < 64; i++)
        points[i] = (point){{i, 2}, {1, i * 0.5}, 3};
}

int main(void)
{
    RUN(set_up(n); field_bounds(&world), "field_bounds")
    RUN(set_up(n); field_global(n), "field_global")
    RUN(set_up(n); field_moved(&world, n), "field_moved")
    RUN(set_up(n); field_written(&world, n), "field_written")
    RUN(set_up(n); field_of_local(a, n), "field_of_local")
    RUN(set_up(n); field_in_array(points, n), "field_in_array")
    RUN(set_up(n); field_sum(&world, n > 0, b), "field_sum")
}
