/* The water in the basin, and its way through time. */
#include <math.h>
#include <stdlib.h>

#include "mesh.h"

#include "common/app.h"
#include "marks.h"
#include "sweep.h"

void flow_start(struct flow *flow, const struct mesh *mesh, double width)
{
    *flow = (struct flow){.mesh = mesh};
    flow->water = app_array((size_t)mesh->cells, sizeof(*flow->water));
    flow->change = app_array((size_t)mesh->cells, sizeof(*flow->change));
    for (long c = 0; c < mesh->cells; c++) {
        double x = mesh->centre[c].x - 0.5 * width, y = mesh->centre[c].y - 0.5 * width;
        bool inside = x * x + y * y < 0.04 * width * width;

        flow->water[c].depth = inside ? 2.0 : 1.0;
        flow->water[c].dye = inside && x > 0.0 ? 0.5 : 0.0;
    }
}

void flow_release(struct flow *flow)
{
    free(flow->water);
    free(flow->change);
    *flow = (struct flow){0};
}

static double wave_speed(const struct water *water)
{
    return sqrt(water->mx * water->mx + water->my * water->my) / water->depth +
           sqrt(9.81 * water->depth);
}

/* The longest step in which no wave crosses more than the share `courant` of its cell. */
static double step_length(const struct flow *flow, double courant)
{
    double least = HUGE_VAL;

    for (long c = 0; c < flow->mesh->cells; c++) {
        double across = sqrt(flow->mesh->area[c]);
        double time = across / wave_speed(&flow->water[c]);
        least = time < least ? time : least;
    }
    return courant * least;
}

/* Moves every cell by what flowed into it, and leaves `change` empty. */
static void cells_advance(struct flow *flow)
{
    double squares = 0.0;

    for (long c = 0; c < flow->mesh->cells; c++) {
        double per_area = 1.0 / flow->mesh->area[c];
        double rise = flow->change[c].depth * per_area;

        flow->water[c].depth += flow->step * rise;
        flow->water[c].mx += flow->step * per_area * flow->change[c].mx;
        flow->water[c].my += flow->step * per_area * flow->change[c].my;
        flow->water[c].dye += flow->step * per_area * flow->change[c].dye;
        flow->change[c] = (struct water){0};
        squares += rise * rise;
    }
    flow->residual = sqrt(squares / (double)flow->mesh->cells);
}

/* What a sweep must move through memory when nothing of the right cells is left in the
 * caches: the edges once, and of a right cell a line of water and one of what flows in,
 * which goes back, too. Left cells come one after the other. */
static void sweep_declare(const struct mesh *mesh)
{
    double edges = (double)mesh->edges, cells = (double)mesh->cells;

    inflight_region_bytes("sweep", edges * (sizeof(*mesh->edge) + 128.0) + 64.0 * cells,
                          64.0 * edges + 32.0 * cells);
    inflight_region_access("sweep", 0.8);
}

void flow_advance(struct flow *flow, double courant)
{
    const struct mesh *mesh = flow->mesh;

    flow->step = step_length(flow, courant);
    inflight_region_begin("sweep");
    sweep_edges(mesh->edges, mesh->edge, flow->water, flow->change);
    sweep_declare(mesh);
    inflight_region_end("sweep");
    sweep_shores(mesh->shores, mesh->shore, flow->water, flow->change);
    inflight_region_begin("advance");
    cells_advance(flow);
    inflight_region_end("advance");
    flow->time += flow->step;
}

void flow_totals(const struct flow *flow, struct totals *totals)
{
    *totals = (struct totals){.least_depth = HUGE_VAL};
    for (long c = 0; c < flow->mesh->cells; c++) {
        const struct water *water = &flow->water[c];
        double area = flow->mesh->area[c];
        double squares = water->mx * water->mx + water->my * water->my;
        double speed = sqrt(squares) / water->depth;

        totals->volume += area * water->depth;
        totals->dye += area * water->dye;
        totals->energy +=
            0.5 * area * (squares / water->depth + 9.81 * water->depth * water->depth);
        totals->least_depth =
            water->depth < totals->least_depth ? water->depth : totals->least_depth;
        totals->fastest = speed > totals->fastest ? speed : totals->fastest;
    }
}
