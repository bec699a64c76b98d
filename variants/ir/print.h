/* C text of what the tree holds. */
#ifndef VARIANTS_PRINT_H
#define VARIANTS_PRINT_H

#include "core/base/buf.h"
#include "variants/ir/ir_tree.h"

/* a lone comma operator in parentheses: initialisers, arguments */
void print_operand(struct buf *out, const struct ir_expr *expr);
/* what stands as arg[index] of expr */
void print_part(struct buf *out, const struct ir_expr *expr, size_t index,
                const struct ir_expr *part);
/* where any operator may stand beside it */
void print_factor(struct buf *out, const struct ir_expr *expr);
/* to the right of a comparison */
void print_bound(struct buf *out, const struct ir_expr *expr);
/* "*restrict a", "A[n][m]" */
void print_declarator(struct buf *out, const struct ir_symbol *symbol);

#endif
