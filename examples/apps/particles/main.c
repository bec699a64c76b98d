/*
 * particles: molecular dynamics of a fluid of soft repulsive spheres.
 *
 *     $ build/particles
 *     4096000 particles, density 0.6, box 189.7
 *     step      0  energy/particle  ...
 *     ...
 *     result energy 1.500 ...
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "common/app.h"
#include "src/forces.h"
#include "src/particles.h"

#ifdef _OPENMP
#include <omp.h>
#endif

struct run {
    struct setup setup;
    long steps, every, threads;
    bool small;
};

/* Where the time went, in seconds. */
struct spent {
    double setup, list, forces, motion;
};

static enum app_read run_read(struct run *run, int argc, char **argv)
{
    struct setup *setup = &run->setup;
    const struct app_option option[] = {
        {"--edge", "particles along an edge of the box; their number is its cube",
         .count = &setup->edge, .least = 8, .most = 600},
        {"--steps", "time steps", .count = &run->steps, .least = 1, .most = 1e6},
        {"--every", "steps between two lines of output", .count = &run->every, .least = 1,
         .most = 1e6},
        {"--threads", "threads, 0 = as OpenMP has it", .count = &run->threads, .least = 0,
         .most = 1024},
        {"--density", "particles in a unit of volume", .real = &setup->density,
         .least = 0.01, .most = 0.8},
        {"--temp", "temperature in the beginning", .real = &setup->temperature,
         .least = 0.0, .most = 10.0},
        {"--skin", "how far the list reaches beyond the forces", .real = &setup->skin,
         .least = 0.05, .most = 1.5},
        {"--dt", "time step", .real = &setup->step, .least = 1e-5, .most = 0.01},
        {"--seed", "of the random numbers", .count = &setup->seed, .least = 0,
         .most = 1e15},
        {"--ordered", "number the particles as they lie, not at random",
         .flag = &setup->ordered},
        {"--small", "a problem of a moment: --edge 24 --steps 40", .flag = &run->small},
    };
    enum app_read read =
        app_options_read(argc, argv, "Molecular dynamics of a soft-sphere fluid.", option,
                         sizeof(option) / sizeof(*option));

    if (run->small) {
        setup->edge = 24;
        run->steps = 40;
        run->every = 10;
    }
    return read;
}

static void state_print(long step, const struct fluid *fluid, const struct state *state)
{
    double nr = (double)fluid->nr;

    printf("step %6ld  energy %.6f  potential %.6f  temperature %.6f  neighbours %.2f\n",
           step, (state->potential + state->kinetic) / nr, state->potential / nr,
           state->temperature, 2.0 * (double)state->pairs / nr);
}

/* Forces for the places as they are, with a list that still holds. */
static void forces_now(struct fluid *fluid, struct spent *spent)
{
    double begin = app_seconds();

    neighbours_renew(fluid);
    double middle = app_seconds();
    forces_all(fluid);
    spent->list += middle - begin;
    spent->forces += app_seconds() - middle;
}

static void step_once(struct fluid *fluid, struct spent *spent)
{
    double begin = app_seconds();

    motion_drift(fluid);
    spent->motion += app_seconds() - begin;
    forces_now(fluid, spent);
    begin = app_seconds();
    motion_kick(fluid);
    spent->motion += app_seconds() - begin;
}

/* Whether energy and momentum are what they were. Energy drifts with the square of the
 * time step; momentum by rounding alone. */
static bool conserved(const struct fluid *fluid, const struct state *first,
                      const struct state *last)
{
    double nr = (double)fluid->nr;
    double drift = (last->potential + last->kinetic - first->potential - first->kinetic) /
                   (first->potential + first->kinetic);
    double momentum =
        (fabs(last->momentum.x) + fabs(last->momentum.y) + fabs(last->momentum.z)) / nr;
    bool good = fabs(drift) < 1e-3 && momentum < 1e-10;

    printf("check  energy drift %.1e, momentum %s: %s\n", drift,
           momentum < 1e-10 ? "kept" : "LOST", good ? "good" : "BAD");
    return good;
}

static bool run_steps(const struct run *run, struct fluid *fluid, struct spent *spent)
{
    struct state first, now;

    forces_now(fluid, spent);
    state_take(fluid, &first);
    state_print(0, fluid, &first);
    now = first;
    for (long step = 1; step <= run->steps; step++) {
        step_once(fluid, spent);
        if (step % run->every == 0 || step == run->steps) {
            state_take(fluid, &now);
            state_print(step, fluid, &now);
        }
    }
    printf("result energy %.9f potential %.6f pairs %llu lists %ld\n",
           (now.potential + now.kinetic) / (double)fluid->nr,
           now.potential / (double)fluid->nr, (unsigned long long)now.pairs,
           fluid->near.made);
    return conserved(fluid, &first, &now);
}

int main(int argc, char **argv)
{
    struct run run = {.setup = {.edge = 144,
                                .seed = 1,
                                .density = 0.7,
                                .temperature = 1.0,
                                .skin = 0.45,
                                .step = 0.002},
                      .steps = 12,
                      .every = 4};
    enum app_read read = run_read(&run, argc, argv);
    struct fluid fluid;
    struct spent spent = {0};

    if (read != APP_READ_RUN)
        return read == APP_READ_HELP ? 0 : 2;
#ifdef _OPENMP
    if (run.threads)
        omp_set_num_threads((int)run.threads);
#endif
    double begin = app_seconds();
    fluid_start(&fluid, &run.setup);
    spent.setup = app_seconds() - begin;
    printf("%ld particles, density %g, box %.3f\n", fluid.nr, fluid.density, fluid.box);
    bool good = run_steps(&run, &fluid, &spent);
    printf("time   setup %.2f s, lists %.2f s, forces %.2f s, motion %.2f s\n",
           spent.setup, spent.list, spent.forces, spent.motion);
    fluid_release(&fluid);
    return good ? 0 : 1;
}
