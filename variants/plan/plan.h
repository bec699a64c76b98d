/* A plan: what is to be done to a kernel, as a list of steps; its text; the table of
 * transformations. */
#ifndef VARIANTS_PLAN_PLAN_H
#define VARIANTS_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/buf.h"
#include "core/base/error.h"

/* Steps separated by spaces: tile(j:64,k:256) simd prefetch(table:16,to:L2). Loops are
 * named by their iterators, tile loops it, jt ..., arrays as in the view.
 * transformations() holds all steps. An empty text is the untransformed kernel. */
struct plan; /* opaque */
int plan_parse(const char *text, struct plan **plan, struct error *err);
void plan_free(struct plan *plan);
char *plan_text(const struct plan *plan); /* canonical; caller frees */

/* The transformations a plan can be made of: one table that parsing, help and rules'
 * tests read. */
struct transformation {
    const char *name, *syntax, *meaning;
};
const struct transformation *transformations(size_t *nr);

/* In the order of the table in plan.c. */
enum step_kind {
    STEP_TILE,
    STEP_SKEW_TILE,
    STEP_INTERCHANGE,
    STEP_SKEW,
    STEP_FUSE,
    STEP_DISTRIBUTE,
    STEP_UNROLL_JAM,
    STEP_UNROLL,
    STEP_FULL,
    STEP_PACK,
    STEP_VEC,
    STEP_PAD,
    STEP_SIMD,
    STEP_PARALLEL,
    STEP_PREFETCH,
    STEP_NONTEMPORAL,
    STEP_SET,
    STEP_KIND_NR
};

/* What stands behind the names: ",to:L2". 0 = not given. */
enum step_option {
    OPTION_TO,         /* prefetch: 1, 2 = level; 3 = non-temporal */
    OPTION_SHIFT,      /* fuse: iterations that the second loop runs behind the first */
    OPTION_WIDTH,      /* simd: lanes */
    OPTION_INTERLEAVE, /* simd: independent vectors under way */
    OPTION_SCHEDULE,   /* parallel: enum step_schedule */
    OPTION_CHUNK,      /* parallel: iterations handed out at once */
    OPTION_AT,         /* prefetch: 1 = iterations are those of the loop plan_step.at */
    OPTION_NR
};

enum { PREFETCH_NONTEMPORAL = 3 };
enum step_schedule { SCHEDULE_STATIC = 1, SCHEDULE_DYNAMIC, SCHEDULE_GUIDED };
/* "static" ...; NULL for 0. */
const char *schedule_word(enum step_schedule schedule);

struct step_arg {
    char *name;      /* iterator, tile loop, array ("p.x", "g->v") or tunable */
    long long value; /* tile size, factor, distance; 0 where the step takes none */
    bool has_value;
};

struct plan_step {
    enum step_kind kind;
    struct step_arg *arg;
    size_t arg_nr, arg_alloc;
    long long option[OPTION_NR];
    char *at; /* with OPTION_AT: an iterator; else NULL */
    int nest; /* of the function, from 1 on, that alone is meant; 0 = all */
};

struct plan {
    struct plan_step *step;
    size_t step_nr, step_alloc;
};

/* "tile(i:64,j:64)" of one step, as in plan_text. */
void plan_step_text(const struct plan_step *step, struct buf *out);
/* The step is for the nest (kernel_loop.nest). */
bool plan_step_means(const struct plan_step *step, size_t nest);
/* Some step is of this kind. */
bool plan_has(const struct plan *plan, enum step_kind kind);

#endif
