/* A place in memory: which variable, with which subscripts. Private to model_place.c and
 * model_access.c. */
#ifndef VARIANTS_MODEL_PLACE_H
#define VARIANTS_MODEL_PLACE_H

#include "variants/model/poly.h"

struct place {
    struct ir_symbol *symbol;
    struct ir_expr *subscript[SUBSCRIPTS_MAX]; /* innermost first while reading */
    long long scale[SUBSCRIPTS_MAX]; /* bytes that one more moves; 0 = not constant */
    size_t nr, field_nr;             /* field_nr: of those, belong to fields */
    const char *path;                /* ".pos.x", "" without fields */
    struct ir_type type;             /* of the element named */
    long long offset;                /* bytes of the path in its record */
    bool partial; /* only a part of the element: a member of a union, a bit-field */
    const char *problem;
};

/* `problem` says why it cannot be followed. */
struct place place_of(struct nest *nest, const struct ir_expr *expr);
/* Adds to what is read already. */
void place_read(struct nest *nest, const struct ir_expr *expr, struct place *place);

#endif
