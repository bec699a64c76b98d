/* Views, extents and counts of what is modelled. */
#ifndef VARIANTS_MODEL_MODEL_VIEW_H
#define VARIANTS_MODEL_MODEL_VIEW_H

#include "variants/model/poly.h"

void view_build(struct model *model);

int view_array(const struct model *model,
               const struct ir_symbol *symbol); /* -1 = no buffer; the first of fields */
int view_place(const struct model *model, const struct ir_expr *place);
bool expr_is_place(const struct ir_expr *expr); /* a[i], p->x, *p */
/* Integer expressions at given parameters. counts.c */
bool count_value(struct model *model, const struct model_values *values,
                 const struct ir_expr *expr, long long *out);
const char *
extent_text(struct model *model,
            const struct model_array *array); /* NULL = not in terms of parameters */
/* Least or greatest value of a subscript in terms of parameters, taken as positive; NULL
 * when it cannot be said. */
struct ir_expr *access_bound(struct nest *nest, const struct access *access,
                             size_t subscript, bool upper);
/* *outer (NULL = none yet) becomes the access if its subscript reaches further than that
 * of *outer, up or down, for all parameters that the new code runs with. False where that
 * cannot be told of the two. */
bool access_take_outer(struct nest *nest, size_t subscript, bool upper,
                       const struct access *access, const struct access **outer);

#endif
