/* A place in memory: which variable, with which subscripts. Private to model_place.c and
 * model_access.c. */
#ifndef VARIANTS_MODEL_PLACE_H
#define VARIANTS_MODEL_PLACE_H

#include "variants/poly.h"

struct place {
    struct ir_symbol *symbol;
    struct ir_expr *subscript[SUBSCRIPTS_MAX]; /* innermost first while reading */
    size_t nr;
    bool member;
    const char *problem;
};

/* Adds to an empty place; `problem` says why it cannot be followed. */
void place_read(struct nest *nest, const struct ir_expr *expr, struct place *place);

#endif
