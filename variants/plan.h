/* A plan as data. Private to variants/; the outward half is in variants.h. */
#ifndef VARIANTS_PLAN_H
#define VARIANTS_PLAN_H

#include "variants/variants.h"

enum step_kind {
    STEP_TILE,
    STEP_INTERCHANGE,
    STEP_UNROLL_JAM,
    STEP_UNROLL,
    STEP_SIMD,
    STEP_PREFETCH
};

struct step_arg {
    char *name;      /* iterator, tile loop or array */
    long long value; /* tile size, factor, distance; 0 where the step takes none */
};

struct plan_step {
    enum step_kind kind;
    struct step_arg *arg;
    size_t arg_nr, arg_alloc;
    int level; /* prefetch: 1 or 2 */
};

struct plan {
    struct plan_step *step;
    size_t step_nr, step_alloc;
};

/* "tile(i:64,j:64)" of one step, as in plan_text. */
void plan_step_text(const struct plan_step *step, struct buf *out);

#endif
