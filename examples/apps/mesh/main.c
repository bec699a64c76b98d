/*
 * mesh: a dam breaks in a basin of shallow water, on triangles that have no order.
 *
 *     $ build/mesh
 *     2880000 cells, 4317600 edges, 4800 shores
 *     step     0  ...
 *     ...
 *     result volume ...
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "common/app.h"
#include "src/mesh.h"

struct run {
    long rows, steps, every, seed;
    double width, courant;
    bool ordered, small;
};

static enum app_read run_read(struct run *run, int argc, char **argv)
{
    const struct app_option option[] = {
        {"--rows", "squares along a side; there are 2 rows^2 cells", .count = &run->rows,
         .least = 4, .most = 20000},
        {"--steps", "time steps", .count = &run->steps, .least = 1, .most = 1e7},
        {"--every", "steps between two lines of output", .count = &run->every, .least = 1,
         .most = 1e7},
        {"--width", "of the basin, m", .real = &run->width, .least = 1.0, .most = 1e6},
        {"--courant", "share of a cell that a wave crosses in a step",
         .real = &run->courant, .least = 0.01, .most = 0.4},
        {"--seed", "of the random numbers", .count = &run->seed, .least = 0,
         .most = 1e15},
        {"--ordered", "number the cells row by row, not at random",
         .flag = &run->ordered},
        {"--small", "a problem of a moment: --rows 60 --steps 40", .flag = &run->small},
    };
    enum app_read read = app_options_read(
        argc, argv, "A dam breaks in a basin: shallow water on triangles.", option,
        sizeof(option) / sizeof(*option));

    if (run->small) {
        run->rows = 60;
        run->steps = 40;
        run->every = 10;
    }
    return read;
}

static void totals_print(long step, const struct flow *flow, const struct totals *totals)
{
    printf("step %5ld  t %.4f s  volume %.6e m^3  energy %.6e  residual %.4e m/s  "
           "fastest %.3f m/s\n",
           step, flow->time, totals->volume, totals->energy, flow->residual,
           totals->fastest);
}

/* Volume and dye stay; energy is lost to the scheme and never won; no cell runs dry. */
static bool holds(const struct totals *first, const struct totals *last)
{
    double volume = last->volume / first->volume - 1.0,
           dye = last->dye / first->dye - 1.0,
           energy = last->energy / first->energy - 1.0;
    bool good = fabs(volume) < 1e-10 && fabs(dye) < 1e-10 && energy < 1e-12 &&
                last->least_depth > 0.0;

    printf("check  volume %s, dye %s, energy %.1e, least depth %.3f m: %s\n",
           fabs(volume) < 1e-10 ? "kept" : "LOST", fabs(dye) < 1e-10 ? "kept" : "LOST",
           energy, last->least_depth, good ? "good" : "BAD");
    return good;
}

static bool run_steps(const struct run *run, const struct mesh *mesh, double *seconds)
{
    struct flow flow;
    struct totals first, now;

    flow_start(&flow, mesh, run->width);
    flow_totals(&flow, &first);
    totals_print(0, &flow, &first);
    now = first;
    for (long step = 1; step <= run->steps; step++) {
        double begin = app_seconds();
        flow_advance(&flow, run->courant);
        *seconds += app_seconds() - begin;
        if (step % run->every == 0 || step == run->steps) {
            flow_totals(&flow, &now);
            totals_print(step, &flow, &now);
        }
    }
    printf("result t %.9f energy %.9e residual %.6e fastest %.6f\n", flow.time,
           now.energy, flow.residual, now.fastest);
    flow_release(&flow);
    return holds(&first, &now);
}

int main(int argc, char **argv)
{
    struct run run = {.rows = 1200,
                      .steps = 20,
                      .every = 5,
                      .seed = 1,
                      .width = 1000.0,
                      .courant = 0.2};
    enum app_read read = run_read(&run, argc, argv);
    struct triangles triangles = {0};
    struct mesh mesh;

    if (read != APP_READ_RUN)
        return read == APP_READ_HELP ? 0 : 2;
    double begin = app_seconds(), seconds = 0.0;
    triangles_make(&triangles, run.rows, run.width, (uint64_t)run.seed, run.ordered);
    mesh_build(&mesh, &triangles);
    triangles_release(&triangles);
    printf("%ld cells, %ld edges, %ld shores\n", mesh.cells, mesh.edges, mesh.shores);
    bool good = mesh_is_closed(&mesh, run.width);
    double built = app_seconds() - begin;
    if (!good)
        fprintf(stderr, "%s: the mesh has holes\n", argv[0]);
    good = run_steps(&run, &mesh, &seconds) && good;
    printf("time   mesh %.2f s, steps %.2f s\n", built, seconds);
    mesh_release(&mesh);
    return good ? 0 : 1;
}
