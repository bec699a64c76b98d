/* Plans next to a plan: those that differ from it in one thing, by what the grid knows.
 * Private to search/. */
#ifndef SEARCH_NEARBY_H
#define SEARCH_NEARBY_H

#include <stdint.h>

#include "search/session/engine.h"
#include "search/space/dimensions.h"

struct near {
    struct session *session;
    /* Where only the plans of a space may be tried: its points, the kernel as written
     * first. */
    struct dimensions dimensions;
    struct choices plans;
    struct choices steps; /* elsewhere: values of the grid, each a plan of one step */
};
void near_open(struct session *session, struct near *near);
void near_close(struct near *near);

/* Appends them, those with the nearest parameters first; none is asked for legality. */
void near_list(const struct near *near, const struct choice *from, struct choices *out);

/* A plan a few steps by chance away, as `local` walks; true when it is surely another
 * one. */
bool near_walk(const struct near *near, const struct choice *from, uint64_t *random,
               struct choice *out);

/* Transformations (of rules.h) that `to` has and `from` has not, or another order of
 * loops. Returns how many. */
enum { NEAR_ADDED_MAX = 2 * STEP_KIND_NR };
size_t near_added(const struct choice *from, const struct choice *to,
                  const char *name[NEAR_ADDED_MAX]);

#endif
