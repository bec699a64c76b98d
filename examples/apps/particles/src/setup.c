/* Where the particles are in the beginning: a lattice, a little disturbed. */
#include "particles.h"

#include <math.h>
#include <stdlib.h>

#include "common/app.h"

/* A fifth of the particles is smaller: one size alone would freeze. */
static const double SMALL_DIAMETER = 0.9;

static void places_start(struct fluid *fluid, const struct setup *setup,
                         struct app_random *random)
{
    long edge = setup->edge;
    double spacing = fluid->box / (double)edge;
    int *number = app_array((size_t)fluid->nr, sizeof(*number));

    app_shuffled(random, number, fluid->nr);
    for (long i = 0; i < fluid->nr; i++) {
        struct site *site = &fluid->site[setup->ordered ? i : number[i]];
        double shake = 0.2 * spacing;

        site->x = spacing * ((double)(i % edge) + 0.5) +
                  shake * (app_random_unit(random) - 0.5);
        site->y = spacing * ((double)(i / edge % edge) + 0.5) +
                  shake * (app_random_unit(random) - 0.5);
        site->z = spacing * ((double)(i / edge / edge) + 0.5) +
                  shake * (app_random_unit(random) - 0.5);
        site->diameter = app_random_unit(random) < 0.2 ? SMALL_DIAMETER : 1.0;
    }
    free(number);
}

/* Maxwell's velocities, without a drift of the whole. */
static void speeds_start(struct fluid *fluid, double temperature,
                         struct app_random *random)
{
    struct vector sum = {0};
    double width = sqrt(temperature), nr = (double)fluid->nr;

    for (long i = 0; i < fluid->nr; i++) {
        struct vector *speed = &fluid->speed[i];
        speed->x = width * app_random_normal(random);
        speed->y = width * app_random_normal(random);
        speed->z = width * app_random_normal(random);
        sum.x += speed->x;
        sum.y += speed->y;
        sum.z += speed->z;
    }
    for (long i = 0; i < fluid->nr; i++) {
        fluid->speed[i].x -= sum.x / nr;
        fluid->speed[i].y -= sum.y / nr;
        fluid->speed[i].z -= sum.z / nr;
    }
}

void fluid_start(struct fluid *fluid, const struct setup *setup)
{
    struct app_random random = {.state = (uint64_t)setup->seed};
    size_t nr = (size_t)(setup->edge * setup->edge * setup->edge);

    *fluid = (struct fluid){.nr = (long)nr,
                            .density = setup->density,
                            .skin = setup->skin,
                            .step = setup->step,
                            .box = cbrt((double)nr / setup->density)};
    fluid->site = app_array(nr, sizeof(*fluid->site));
    fluid->speed = app_array(nr, sizeof(*fluid->speed));
    fluid->force = app_array(nr, sizeof(*fluid->force));
    places_start(fluid, setup, &random);
    speeds_start(fluid, setup->temperature, &random);
}

void fluid_release(struct fluid *fluid)
{
    free(fluid->site);
    free(fluid->speed);
    free(fluid->force);
    neighbours_release(&fluid->near);
    *fluid = (struct fluid){0};
}
