#include <stdbool.h>

/* Structs by pointer, by value and as globals; numbers, arrays and pointers in them. */
enum order { ROWS, COLUMNS };

struct box {
    float low[3];
    const double *weight;
};

typedef struct grid {
    int nx, ny;
    const long pitch;
    double scale, sum;
    enum order order;
    bool periodic;
    double *restrict v;
    struct box box;
    const struct box *other;
    unsigned char mark[4][8];
} grid;

struct limits {
    double most;
    int steps;
} limits;

static long counter;

#pragma inflight set g->nx = 40
#pragma inflight set g->ny = 30
#pragma inflight set g->pitch = g->nx + 3
#pragma inflight set g->scale = 0.25
#pragma inflight set g->periodic = 1
#pragma inflight set limits.most = 1.25
#pragma inflight set shift.by = 3
#pragma inflight buffer g->v length g->ny * g->pitch
#pragma inflight buffer g->box.weight = uniform(0, 2)
#pragma inflight buffer g->box.weight length g->ny
#pragma inflight buffer g->other->weight length g->nx
struct shift {
    short by;
    double factor[2];
};

float smooth(grid *restrict g, const struct shift shift, const double *restrict add)
{
    g->sum = 0;
    for (int i = 0; i < g->ny; i++)
        for (int j = 0; j < g->nx; j++) {
            double x = g->v[i * g->pitch + j] * g->scale + add[j] * g->box.low[1];

            if (g->periodic)
                x += g->box.weight[i] * shift.factor[1] + shift.by;
            if (x > limits.most)
                x = limits.most - g->other->weight[j];
            g->v[i * g->pitch + j] = x;
            g->mark[2][j % 8] = (unsigned char)j;
            g->sum += x;
        }
    counter += g->nx;
    return (float)g->sum;
}
