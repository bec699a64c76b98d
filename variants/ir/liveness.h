/* Is the value that a variable has at a place of the function read behind it? */
#ifndef VARIANTS_IR_LIVENESS_H
#define VARIANTS_IR_LIVENESS_H

#include <stdbool.h>

struct ir_stmt;
struct ir_symbol;

/* On some way through the statement the variable may be read before it is set. */
bool stmt_may_read_first(const struct ir_stmt *stmt, const struct ir_symbol *symbol);
/* On every way through it the variable is set before it is read. */
bool stmt_sets_first(const struct ir_stmt *stmt, const struct ir_symbol *symbol);
/* On some way from the end of `last` to the end of the function's body, or from a jump
 * within `last`, the variable may be read before it is set. True, too, where labels or
 * text that is not taken apart lead ways elsewhere. */
bool stmt_read_behind(const struct ir_stmt *body, const struct ir_stmt *last,
                      const struct ir_symbol *symbol);

#endif
