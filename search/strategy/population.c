/*
 * The strategy "population": a genetic algorithm. Parents win tournaments of two (D. E.
 * Goldberg, K. Deb, "A comparative analysis of selection schemes used in genetic
 * algorithms", 1991), children take each dimension from either, change each with the
 * chance of one in all (H. Muehlenbein, "How genetic algorithms really work", PPSN 1992),
 * and become the nearest variant there is. The best survives. The kernel as written is
 * one of the first generation.
 */
#include <math.h>
#include <stdlib.h>

#include "search/strategy/pool.h"

enum { POPULATION = 20 };

struct generation {
    struct pool *pool;
    size_t variant[POPULATION], next[POPULATION];
    size_t nr;
    unsigned *child; /* a row of the dimensions */
    size_t *equal;   /* room for all variants that are equally near */
};

static bool holds(const size_t *list, size_t nr, size_t variant)
{
    for (size_t i = 0; i < nr; i++)
        if (list[i] == variant)
            return true;
    return false;
}

static size_t parent(struct generation *now)
{
    const double *seconds = now->pool->seconds;
    size_t a = now->variant[pool_random(now->pool, now->nr)],
           b = now->variant[pool_random(now->pool, now->nr)];
    return seconds[b] < seconds[a] ? b : a;
}

static unsigned other_value(struct pool *pool, size_t dimension, unsigned now)
{
    size_t values = pool->dimensions.item[dimension].values,
           value = pool_random(pool, values - 1);
    return (unsigned)(value + (value >= now));
}

static void make_child(struct generation *now)
{
    struct pool *pool = now->pool;
    const struct dimensions *dimensions = &pool->dimensions;
    const unsigned *mother = dimensions_row(dimensions, parent(now)),
                   *father = dimensions_row(dimensions, parent(now));
    for (size_t d = 0; d < dimensions->nr; d++) {
        now->child[d] = pool_random(pool, 2) ? mother[d] : father[d];
        if (pool_random(pool, dimensions->nr) == 0)
            now->child[d] = other_value(pool, d, now->child[d]);
    }
}

/* The nearest variant that neither failed nor is one of the `nr` next already; one of
 * equals by chance. False when there is none. */
static bool repair(struct generation *now, size_t nr, size_t *variant)
{
    struct pool *pool = now->pool;
    double nearest = INFINITY;
    size_t equal_nr = 0;
    for (size_t v = 0; v < pool->nr; v++) {
        double distance = dimensions_distance(&pool->dimensions, now->child, v);
        if (distance > nearest || isinf(pool->seconds[v]) || holds(now->next, nr, v))
            continue;
        equal_nr = distance < nearest ? 0 : equal_nr;
        nearest = distance;
        now->equal[equal_nr++] = v;
    }
    if (equal_nr == 0)
        return false;
    *variant = now->equal[pool_random(pool, equal_nr)];
    return true;
}

static int ask_all(struct generation *now, struct error *err)
{
    struct pool_list list;
    pool_list_begin(now->pool, now->variant, now->nr, &list);
    for (size_t i = 0; i < now->nr && !pool_over(now->pool); i++) {
        double seconds;
        if (pool_ask_next(&list, i, &seconds, err))
            return -1;
    }
    return 0;
}

/* The kernel as written, and others by chance. */
static int begin(struct generation *now, struct error *err)
{
    struct pool *pool = now->pool;
    size_t half = (pool->nr + 1) / 2;
    for (size_t v = 0; v < pool->nr; v++)
        now->equal[v] = v;
    pool_shuffle(pool, now->equal + 1, pool->nr - 1);
    now->nr = half < 2 ? pool->nr : half < POPULATION ? half : POPULATION;
    for (size_t i = 0; i < now->nr; i++)
        now->variant[i] = now->equal[i];
    return ask_all(now, err);
}

/* A generation that came upon nothing new gives way to newcomers, but for the best. */
static void renew(struct generation *now)
{
    struct pool *pool = now->pool;
    for (size_t i = 1; i < now->nr && i <= pool->nr - pool->asked; i++)
        do
            now->variant[i] = pool_random_new(pool);
        while (holds(now->variant, i, now->variant[i]));
}

static int breed(struct generation *now, struct error *err)
{
    size_t nr = 1;
    now->next[0] = now->pool->best;
    while (nr < now->nr) {
        make_child(now);
        if (!repair(now, nr, &now->next[nr]))
            break;
        nr++;
    }
    now->nr = nr;
    for (size_t i = 0; i < nr; i++)
        now->variant[i] = now->next[i];
    size_t asked = now->pool->asked;
    if (ask_all(now, err))
        return -1;
    if (pool_over(now->pool) || now->pool->asked > asked)
        return 0;
    renew(now);
    return ask_all(now, err);
}

static int evolve(struct pool *pool, struct error *err)
{
    struct generation now = {.pool = pool};
    now.child = xcalloc(pool->dimensions.nr + 1, sizeof(*now.child));
    now.equal = xcalloc(pool->nr, sizeof(*now.equal));
    int status = begin(&now, err);
    while (!status && !pool_over(pool))
        status = breed(&now, err);
    free(now.child);
    free(now.equal);
    return status;
}

int population_run(struct session *session, struct error *err)
{
    struct pool pool;
    int status = pool_open(session, &pool, err);
    if (!status)
        status = evolve(&pool, err);
    if (!status)
        status = pool_finish(&pool, err);
    pool_close(&pool);
    return status;
}
