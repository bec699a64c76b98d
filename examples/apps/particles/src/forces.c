/* The short-range forces: nearly all time of a step is spent here. */
#include "forces.h"

#include <math.h>

#ifdef _OPENMP
#include <omp.h>
#endif

void forces_range(long begin, long end, double box, const int *restrict start,
                  const int *restrict list, const struct site *restrict site,
                  struct force *restrict force)
{
    const double per_box = 1.0 / box;

    for (long i = begin; i < end; i++) {
        double fx = 0.0, fy = 0.0, fz = 0.0, energy = 0.0;

        for (int k = start[i]; k < start[i + 1]; k++) {
            double dx = site[i].x - site[list[k]].x;
            double dy = site[i].y - site[list[k]].y;
            double dz = site[i].z - site[list[k]].z;
            double sigma = 0.5 * (site[i].diameter + site[list[k]].diameter);

            dx -= box * rint(dx * per_box); /* the nearest image */
            dy -= box * rint(dy * per_box);
            dz -= box * rint(dz * per_box);
            double r2 = dx * dx + dy * dy + dz * dz;
            double s2 = sigma * sigma;
            if (r2 < 1.2599210498948732 * s2) { /* 2^(1/3): the minimum */
                double s6 = s2 * s2 * s2 / (r2 * r2 * r2);
                double pull = 24.0 * s6 * (2.0 * s6 - 1.0) / r2;

                fx += pull * dx;
                fy += pull * dy;
                fz += pull * dz;
                energy += 2.0 * s6 * (s6 - 1.0) + 0.5;
            }
        }
        force[i].x = fx;
        force[i].y = fy;
        force[i].z = fz;
        force[i].energy = energy;
    }
}

void forces_all(struct fluid *fluid)
{
#pragma omp parallel
    {
        long threads = 1, thread = 0;
#ifdef _OPENMP
        threads = omp_get_num_threads();
        thread = omp_get_thread_num();
#endif
        forces_range(fluid->nr * thread / threads, fluid->nr * (thread + 1) / threads,
                     fluid->box, fluid->near.start, fluid->near.list, fluid->site,
                     fluid->force);
    }
}
