/* What is conserved: energy and momentum. */
#include "particles.h"

#include <stdlib.h>

#include "common/app.h"

/* Summed by blocks, and the blocks in order: as exact as need be, and the same with any
 * number of threads. */
enum { BLOCK = 1 << 12 };

static void block_sum(const struct fluid *fluid, long begin, long end, struct state *sum)
{
    for (long i = begin; i < end; i++) {
        const struct vector *speed = &fluid->speed[i];

        sum->potential += fluid->force[i].energy;
        sum->kinetic +=
            0.5 * (speed->x * speed->x + speed->y * speed->y + speed->z * speed->z);
        sum->momentum.x += speed->x;
        sum->momentum.y += speed->y;
        sum->momentum.z += speed->z;
    }
}

void state_take(const struct fluid *fluid, struct state *state)
{
    long blocks = (fluid->nr + BLOCK - 1) / BLOCK;
    struct state *sum = app_array((size_t)blocks, sizeof(*sum));

#pragma omp parallel for
    for (long b = 0; b < blocks; b++)
        block_sum(fluid, b * BLOCK,
                  (b + 1) * BLOCK < fluid->nr ? (b + 1) * BLOCK : fluid->nr, &sum[b]);
    *state = (struct state){.pairs = (uint64_t)fluid->near.start[fluid->nr] / 2};
    for (long b = 0; b < blocks; b++) {
        state->potential += sum[b].potential;
        state->kinetic += sum[b].kinetic;
        state->momentum.x += sum[b].momentum.x;
        state->momentum.y += sum[b].momentum.y;
        state->momentum.z += sum[b].momentum.z;
    }
    state->temperature = 2.0 / 3.0 * state->kinetic / (double)fluid->nr;
    free(sum);
}
