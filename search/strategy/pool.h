/* What strategies that go from variant to variant share: the space as points, what was
 * measured of it, and the numbers of a seed. Private to search/. */
#ifndef SEARCH_POOL_H
#define SEARCH_POOL_H

#include "search/session/prebuild.h"
#include "search/space/dimensions.h"
#include "search/strategy/blind.h"

struct pool {
    struct session *session;
    struct space space;
    struct dimensions dimensions;
    size_t nr;       /* variants, with variant 0, the file as it is */
    double *seconds; /* of each; negative = not asked, infinite = illegal or failed */
    size_t asked, legal;
    size_t best; /* variant */
    uint64_t random;
};

/* A space of more than POOL_MAX variants is refused: all are kept as points. */
enum { POOL_MAX = 1000000 };
int pool_open(struct session *session, struct pool *pool, struct error *err);
void pool_close(struct pool *pool);

/* Measures the variant unless that was done; *seconds is infinite for what is illegal or
 * failed. */
int pool_ask(struct pool *pool, size_t variant, double *seconds, struct error *err);

/* Variants that will be asked one after the other, unless it ends before: they are built
 * together. */
struct pool_list {
    struct pool *pool;
    const size_t *variant;
    struct ahead_list ahead;
};
void pool_list_begin(struct pool *pool, const size_t *variant, size_t nr,
                     struct pool_list *list);
int pool_ask_next(struct pool_list *list, size_t i, double *seconds, struct error *err);

/* The session is over, or all variants were asked. */
bool pool_over(const struct pool *pool);

/* 0 .. below - 1 */
size_t pool_random(struct pool *pool, size_t below);
void pool_shuffle(struct pool *pool, size_t *item, size_t nr);
/* A variant that was not asked yet; there is one. */
size_t pool_random_new(struct pool *pool);

/* Those that differ in one dimension, in random order, then those that differ in more
 * dimensions of one step. `out` has room for pool->nr; returns their number. */
size_t pool_neighbours(struct pool *pool, size_t variant, size_t *out);

/* The strategies. */
int local_run(struct session *session, struct error *err);
int population_run(struct session *session, struct error *err);

/* Says why it ended and makes sure of the best. */
int pool_finish(struct pool *pool, struct error *err);

#endif
