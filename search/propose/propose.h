/* Parameters for one transformation on top of the present choice, best guess first:
 * seeded from cache shares, latency, registers. */
#ifndef SEARCH_PROPOSE_H
#define SEARCH_PROPOSE_H

#include <stdbool.h>

#include "variants/plan/plan.h"

struct buf;

struct choice;
struct choices;
struct machine;
struct nest;

struct propose {
    const struct nest *nest;
    const struct machine *machine;
    const struct choice *now;
    double iteration_s; /* time of one innermost iteration, 0 = unknown */
    double latency_ns;  /* of the misses a prefetch has to hide */
    double miss_limit;  /* lines a core keeps outstanding at L1, 0 = unknown */
    bool chained; /* each iteration waits for the one before: what others of an outer
                     loop do meanwhile pays, even if it saves no access */
    /* Whether the plan is legal, or becomes so by what its refusals ask for: then that is
     * the choice. NULL: nobody can tell; the cheapest are proposed. */
    bool (*can_be)(void *data, struct choice *choice);
    void *data;
};

/* What has plans for one transformation: as propose(). */
typedef void (*propose_fn)(const struct propose *about, struct choices *out,
                           struct buf *why_not);
#define PROPOSED(word, function, of_all)                                                 \
    void function(const struct propose *about, struct choices *out, struct buf *why_not);
#include "variants/plan/transformations.def"

/* Appends choices for the transformation (a name of rules.h). Nothing appended: it does
 * not apply; `why_not` says why. */
void propose(const struct propose *about, const char *transformation, struct choices *out,
             struct buf *why_not);

/* Nobody can tell, or it is legal; see can_be. */
bool propose_may_be(const struct propose *about, struct choice *choice);

/* There are plan steps for it. */
bool propose_knows(const char *transformation);

/* The choices next to `best` in the parameters of the transformation: half and twice of
 * each. */
void propose_neighbours(const char *transformation, const struct choice *best,
                        struct choices *out);
/* The same for each value of a kind of step; of a kind that repeats, of the last one. */
void propose_scaled(enum step_kind kind, const struct choice *best, struct choices *out);

/* Tiles as a plan needs them under its order of loops: outermost first, and those outside
 * of the outermost tiled one named too, with tiles of their whole extent. */
void propose_order_tiles(const struct nest *nest, struct choice *choice);

/* What is built on another order of loops, so that it is judged together with it: the
 * best guesses of unroll_jam and of tile on top of about->now. Nothing for other
 * transformations. */
void propose_on_top(const struct propose *about, const char *transformation,
                    struct choices *out);

#endif
