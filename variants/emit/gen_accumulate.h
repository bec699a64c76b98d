/* What copies of an iteration that work on variables or tables of their own have in
 * common. Private to variants/emit/. */
#ifndef VARIANTS_EMIT_GEN_ACCUMULATE_H
#define VARIANTS_EMIT_GEN_ACCUMULATE_H

#include "variants/emit/gen.h"
#include "variants/model/recurrence.h"

/* Of partial results: those of signed integers may overflow where the whole does not. */
struct ir_type gen_partial_type(const struct recurrence *what);
/* Which of the loop's `nr` copies of an iteration the statement is of, from 0; -1 = that
 * cannot be told. */
long long gen_copy_of(struct gen *gen, const struct code *loop, long long nr,
                      const struct code *code);
/* What puts two partial results together: "+=" ...; NULL = no operator does. */
const char *gen_join_operator(enum recurrence_kind kind);

#endif
