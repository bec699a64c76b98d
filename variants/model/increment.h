/* How much an iteration adds to what it counts in: comparisons that hold. */
#ifndef VARIANTS_MODEL_INCREMENT_H
#define VARIANTS_MODEL_INCREMENT_H

#include <stddef.h>

struct ir_expr;
struct ir_stmt;
struct recurrence;

/* The greatest value that the integer expression may have, at most 65535, where it is
 * never negative: 1 of a comparison, 255 of an unsigned char; -1 = that is not known. */
long long expr_at_most(const struct ir_expr *expr);

/* The most that the statements, which are one iteration, add to the target of a sum of
 * integers, and never less than 0; at most 65535; -1 = that is not known, or it is no
 * such sum. */
long long increment_at_most(const struct recurrence *sum,
                            const struct ir_stmt *const *stmt, size_t nr);

/* Bytes of the narrowest unsigned integer that holds the value, at least 0, 1 or 2, where
 * that is narrower than the target; 0 = none is. */
size_t increment_bytes(const struct recurrence *sum, long long value);

/* `stmt` is `if (condition) target += 1;` or `target++`, and no else: the condition; NULL
 * = it is not. */
struct ir_expr *increment_condition(const struct ir_stmt *stmt);

#endif
