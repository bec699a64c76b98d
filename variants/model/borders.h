/* What the instances of a statement say of a condition or a remainder in its text, such
 * as `x == 0 ? c : c - 1` and `(x + 1) % n`. */
#ifndef VARIANTS_MODEL_BORDERS_H
#define VARIANTS_MODEL_BORDERS_H

#include "variants/model/poly.h"

/* A remainder is found by subtracting the divisor so often, at most. */
enum { BORDER_TIMES_MAX = 3 };

/* The expression compares numbers. */
bool border_compares(const struct ir_expr *expr);
bool border_divides(const struct ir_expr *expr); /* it is a remainder of integers */

/* Of the domain (kept), the instances at which the comparison holds; NULL = that is not
 * known of all. */
isl_set *border_holds(struct nest *nest, const struct statement *statement,
                      isl_set *domain, const struct ir_expr *cond);
/* Those at which a % b is a - times * b. */
isl_set *border_wraps(struct nest *nest, const struct statement *statement,
                      isl_set *domain, const struct ir_expr *rest, long times);

#endif
