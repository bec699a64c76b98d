#include "search/strategy/pool.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/random.h"

static struct choice variant_plan(void *data, size_t variant)
{
    const struct pool *pool = data;
    return space_variant(pool->session, &pool->space, variant);
}

static int too_large(const struct pool *pool, struct error *err)
{
    return fail(
        err, STATUS_USAGE,
        "a space of %zu variants is too large for this strategy (at most %d); name "
        "fewer values, add a constraint, or take --strategy guided or random",
        pool->space.nr, POOL_MAX);
}

int pool_open(struct session *session, struct pool *pool, struct error *err)
{
    *pool = (struct pool){.session = session,
                          .random = session->opts->seed ? session->opts->seed : 1};
    if (space_open(session, &pool->space, err))
        return -1;
    pool->nr = pool->space.nr + 1;
    if (pool->nr > POOL_MAX)
        return too_large(pool, err);
    space_say(session, &pool->space);
    dimensions_find(&session->view, variant_plan, pool, pool->nr, &pool->dimensions);
    pool->seconds = xcalloc(pool->nr, sizeof(*pool->seconds));
    for (size_t i = 1; i < pool->nr; i++)
        pool->seconds[i] = -1;
    pool->seconds[0] = session->result->measurement[0].time_s.value;
    pool->asked = 1;
    return 0;
}

void pool_close(struct pool *pool)
{
    space_close(&pool->space);
    dimensions_release(&pool->dimensions);
    free(pool->seconds);
}

bool pool_over(const struct pool *pool)
{
    return pool->asked == pool->nr || session_over(pool->session);
}

static int measure(struct pool *pool, const struct choice *choice, size_t variant,
                   struct error *err)
{
    struct session *session = pool->session;
    size_t index = 0;
    session_say(session, "variant %zu of at most %zu", pool->legal, pool->space.nr);
    if (session_measure(session, choice, false, MEASURE_QUICK, 0, &index, err))
        return -1;
    if (!session_timed(session, index))
        return 0;
    pool->seconds[variant] = session->result->measurement[index].time_s.value;
    if (pool->seconds[variant] < pool->seconds[pool->best])
        pool->best = variant;
    return 0;
}

int pool_ask(struct pool *pool, size_t variant, double *seconds, struct error *err)
{
    int status = 0;
    if (pool->seconds[variant] < 0) {
        struct choice choice = variant_plan(pool, variant);
        pool->seconds[variant] = INFINITY;
        pool->asked++;
        if (session_legal(pool->session, &choice, NULL) == 0) {
            pool->legal++;
            status = measure(pool, &choice, variant, err);
        }
    }
    *seconds = pool->seconds[variant];
    return status;
}

static struct choice listed_plan(void *data, size_t i)
{
    const struct pool_list *list = data;
    return variant_plan(list->pool, list->variant[i]);
}

void pool_list_begin(struct pool *pool, const size_t *variant, size_t nr,
                     struct pool_list *list)
{
    *list =
        (struct pool_list){pool, variant, {.data = list, .at = listed_plan, .nr = nr}};
}

int pool_ask_next(struct pool_list *list, size_t i, double *seconds, struct error *err)
{
    if (session_prebuild(list->pool->session, &list->ahead, i, err))
        return -1;
    return pool_ask(list->pool, list->variant[i], seconds, err);
}

size_t pool_random(struct pool *pool, size_t below)
{
    return random_next(&pool->random) % below;
}

void pool_shuffle(struct pool *pool, size_t *item, size_t nr)
{
    for (size_t i = nr; i > 1; i--) {
        size_t j = pool_random(pool, i), one = item[i - 1];
        item[i - 1] = item[j];
        item[j] = one;
    }
}

size_t pool_random_new(struct pool *pool)
{
    size_t left = pool_random(pool, pool->nr - pool->asked);
    for (size_t i = 0; i < pool->nr; i++)
        if (pool->seconds[i] < 0 && left-- == 0)
            return i;
    return 0;
}

size_t pool_neighbours(struct pool *pool, size_t variant, size_t *out)
{
    size_t near = 0, nr = 0;
    for (size_t i = 0; i < pool->nr; i++)
        if (dimensions_apart(&pool->dimensions, variant, i) == 1)
            out[near++] = i;
    nr = near;
    for (size_t i = 0; i < pool->nr; i++)
        if (dimensions_apart(&pool->dimensions, variant, i) > 1 &&
            dimensions_steps_apart(&pool->dimensions, variant, i) == 1)
            out[nr++] = i;
    pool_shuffle(pool, out, near);
    pool_shuffle(pool, out + near, nr - near);
    return nr;
}

int pool_finish(struct pool *pool, struct error *err)
{
    struct search_result *result = pool->session->result;
    bool all = pool->asked == pool->nr;
    if (all && pool->legal == 0)
        return blind_nothing_legal(err);
    result->space_size = all ? (double)pool->legal : -1;
    free(result->stop);
    result->used_up = !all;
    result->stop =
        all ? xasprintf("all %zu legal variants of the grid were measured", pool->legal)
            : xasprintf("%s ended after %zu of the grid's %zu variants",
                        session_end_of(pool->session), pool->asked - 1, pool->space.nr);
    return blind_confirm(pool->session, err);
}
