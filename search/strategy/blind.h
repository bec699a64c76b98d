/* What the strategies that know nothing of the rules share: the space, and how a winner
 * is made sure of. */
#ifndef SEARCH_BLIND_H
#define SEARCH_BLIND_H

#include <stdint.h>

#include "search/session/engine.h"
#include "search/strategy/tunables.h"

/* Every plan with every combination of the tunables. Variant 0 is the file as it is, no
 * variant of the space. */
struct space {
    struct choices plans;
    struct combinations tunings;
    size_t *order; /* of variants: plan * tunings + tuning */
    size_t nr;     /* without variant 0 */
};

int space_open(struct session *session, struct space *space, struct error *err);
void space_close(struct space *space);

/* The plan of variant 0 .. nr, whatever the order. */
struct choice space_variant(const struct session *session, const struct space *space,
                            size_t variant);

/* How large it is, for the user. */
void space_say(const struct session *session, const struct space *space);

/* Compares those that can be the fastest, and the first of them with the kernel as
 * written; it becomes the result's when it is faster beyond doubt. */
int blind_confirm(struct session *session, struct error *err);

/* All choices of the grid that are legal. */
int grid_choices(struct session *session, struct choices *out, struct error *err);

/* The strategies. */
int exhaustive_run(struct session *session, struct error *err);
int random_run(struct session *session, struct error *err);

/* STATUS_FAILED */
int blind_nothing_legal(struct error *err);

#endif
