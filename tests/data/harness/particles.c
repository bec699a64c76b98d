#include <stdbool.h>
#include <stdint.h>

struct vec {
    double x, y, z;
};
typedef struct {
    char kind; /* padding behind it */
    struct vec pos, vel;
    float mass;
    int32_t cell;
    bool alive;
    short tag[3];
} particle;

/* Moves particles. */
#pragma inflight set n = 300
#pragma inflight set m = 17
#pragma inflight set dt = 0.01
#pragma inflight buffer p.cell = index(m)
#pragma inflight buffer grid length m
#pragma inflight buffer p.pos.x = uniform(-1, 1)
double push(int n, int m, double dt, particle *restrict p, const double *restrict grid)
{
    double energy = 0;

    for (int i = 0; i < n; i++) {
        p[i].pos.x += dt * p[i].vel.x + grid[p[i].cell];
        p[i].pos.y += dt * p[i].vel.y;
        p[i].alive = p[i].pos.x > 0;
        p[i].tag[1] = (short)(p[i].tag[2] + i % m);
        energy += p[i].mass * p[i].vel.x * p[i].vel.x;
    }
    return energy;
}
