/* Newton's equations by velocity Verlet; all masses are 1. */
#include "particles.h"

static double wrapped(double x, double box)
{
    if (x < 0.0)
        return x + box;
    return x >= box ? x - box : x;
}

void motion_drift(struct fluid *fluid)
{
    double step = fluid->step, half = 0.5 * step, box = fluid->box;

#pragma omp parallel for
    for (long i = 0; i < fluid->nr; i++) {
        struct vector *speed = &fluid->speed[i];
        struct site *site = &fluid->site[i];

        speed->x += half * fluid->force[i].x;
        speed->y += half * fluid->force[i].y;
        speed->z += half * fluid->force[i].z;
        site->x = wrapped(site->x + step * speed->x, box);
        site->y = wrapped(site->y + step * speed->y, box);
        site->z = wrapped(site->z + step * speed->z, box);
    }
}

void motion_kick(struct fluid *fluid)
{
    double half = 0.5 * fluid->step;

#pragma omp parallel for
    for (long i = 0; i < fluid->nr; i++) {
        fluid->speed[i].x += half * fluid->force[i].x;
        fluid->speed[i].y += half * fluid->force[i].y;
        fluid->speed[i].z += half * fluid->force[i].z;
    }
}
