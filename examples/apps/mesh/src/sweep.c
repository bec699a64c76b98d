/* The sweep over the edges: nearly all time of a step is spent here. */
#include "sweep.h"

#include <math.h>

#define GRAVITY 9.81 /* m/s^2 */

void sweep_edges(long edges, const struct edge *restrict edge,
                 const struct water *restrict water, struct water *restrict change)
{
    for (long e = 0; e < edges; e++) {
        const struct water *l = &water[edge[e].left];
        const struct water *r = &water[edge[e].right];
        double nx = edge[e].nx, ny = edge[e].ny;
        double length = sqrt(nx * nx + ny * ny);
        /* through the edge, cubic metres per second and metre of depth */
        double through_l = (l->mx * nx + l->my * ny) / l->depth;
        double through_r = (r->mx * nx + r->my * ny) / r->depth;
        double press = 0.25 * GRAVITY * (l->depth * l->depth + r->depth * r->depth);
        double wave_l = fabs(through_l) + length * sqrt(GRAVITY * l->depth);
        double wave_r = fabs(through_r) + length * sqrt(GRAVITY * r->depth);
        double wave = 0.5 * (wave_l > wave_r ? wave_l : wave_r);

        double depth = 0.5 * (through_l * l->depth + through_r * r->depth) -
                       wave * (r->depth - l->depth);
        double mx = 0.5 * (through_l * l->mx + through_r * r->mx) + press * nx -
                    wave * (r->mx - l->mx);
        double my = 0.5 * (through_l * l->my + through_r * r->my) + press * ny -
                    wave * (r->my - l->my);
        double dye =
            0.5 * (through_l * l->dye + through_r * r->dye) - wave * (r->dye - l->dye);

        change[edge[e].left].depth -= depth;
        change[edge[e].left].mx -= mx;
        change[edge[e].left].my -= my;
        change[edge[e].left].dye -= dye;
        change[edge[e].right].depth += depth;
        change[edge[e].right].mx += mx;
        change[edge[e].right].my += my;
        change[edge[e].right].dye += dye;
    }
}

void sweep_shores(long shores, const struct shore *restrict shore,
                  const struct water *restrict water, struct water *restrict change)
{
    for (long s = 0; s < shores; s++) {
        double depth = water[shore[s].cell].depth;
        double press = 0.5 * GRAVITY * depth * depth;

        change[shore[s].cell].mx -= press * shore[s].nx;
        change[shore[s].cell].my -= press * shore[s].ny;
    }
}
