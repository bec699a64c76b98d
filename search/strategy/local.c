/*
 * The strategy "local": hill climbing that takes the first better neighbour, goes on from
 * each top by a short random walk, and begins anew when that leads nowhere. After the
 * greedy iterated local search of Kernel Tuner, of its strategies among the best at small
 * budgets: R. Schoonhoven, B. van Werkhoven, K. J. Batenburg, "Benchmarking optimization
 * algorithms for auto-tuning GPU kernels", IEEE Trans. Evolutionary Computation (2022).
 * It starts from the kernel as written, which is measured anyway.
 */
#include <math.h>
#include <stdlib.h>

#include "search/strategy/pool.h"

/* Kernel Tuner's values: a walk changes this share of the dimensions; so many tops
 * without a better one, and it begins anew. */
static const double WALK_SHARE = 0.3;
enum { TOPS_WITHOUT_BETTER = 50 };

struct climb {
    struct pool *pool;
    size_t *near; /* room for all neighbours */
    size_t now;   /* variant */
    size_t tops;  /* since the best was found */
};

/* *moved: to the first neighbour that is faster. */
static int move(struct climb *climb, bool *moved, struct error *err)
{
    struct pool *pool = climb->pool;
    size_t nr = pool_neighbours(pool, climb->now, climb->near);
    struct pool_list list;
    *moved = false;
    pool_list_begin(pool, climb->near, nr, &list);
    for (size_t i = 0; i < nr && !pool_over(pool); i++) {
        double seconds;
        if (pool_ask_next(&list, i, &seconds, err))
            return -1;
        if (seconds < pool->seconds[climb->now]) {
            climb->now = climb->near[i];
            *moved = true;
            return 0;
        }
    }
    return 0;
}

static int climb_to_top(struct climb *climb, struct error *err)
{
    bool moved = true;
    while (moved && !pool_over(climb->pool))
        if (move(climb, &moved, err))
            return -1;
    return 0;
}

static void walk(struct climb *climb)
{
    struct pool *pool = climb->pool;
    size_t steps = (size_t)(WALK_SHARE * (double)pool->dimensions.nr);
    for (size_t i = 0; i < (steps > 0 ? steps : 1); i++) {
        size_t nr = pool_neighbours(pool, climb->now, climb->near);
        if (nr)
            climb->now = climb->near[pool_random(pool, nr)];
    }
}

/* From the top to where the next climb begins; a climb that came upon nothing new ends at
 * tops that are known. */
static int leave(struct climb *climb, bool something_new, struct error *err)
{
    double seconds;
    if (something_new && climb->tops < TOPS_WITHOUT_BETTER) {
        walk(climb);
    } else {
        climb->now = pool_random_new(climb->pool);
        climb->tops = 0;
    }
    return pool_ask(climb->pool, climb->now, &seconds, err);
}

static int climb_all(struct climb *climb, struct error *err)
{
    struct pool *pool = climb->pool;
    while (!pool_over(pool)) {
        size_t asked = pool->asked, best = pool->best;
        if (climb_to_top(climb, err))
            return -1;
        climb->tops = best == pool->best ? climb->tops + 1 : 0;
        if (!pool_over(pool) && leave(climb, pool->asked > asked, err))
            return -1;
    }
    return 0;
}

int local_run(struct session *session, struct error *err)
{
    struct pool pool;
    int status = pool_open(session, &pool, err);
    if (!status) {
        struct climb climb = {.pool = &pool,
                              .near = xcalloc(pool.nr, sizeof(*climb.near))};
        status = climb_all(&climb, err);
        free(climb.near);
    }
    if (!status)
        status = pool_finish(&pool, err);
    pool_close(&pool);
    return status;
}
