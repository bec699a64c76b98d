/*
 * Formulas over named quantities, read from data: `(READS + WRITES) * 64 / seconds`.
 * Numbers, names, + - * / ( ), min(a,b), max(a,b), d_ratio(a,b) = a/b or unknown when b
 * is 0. A name is a run of letters, digits and _ . : = [ ] % @ - (events as counters
 * write them), or any text in double quotes. Knows no domain.
 */
#ifndef CORE_BASE_FORMULA_H
#define CORE_BASE_FORMULA_H

#include "core/base/array.h"
#include "core/base/error.h"
#include "core/base/quantity.h"

struct formula; /* opaque */

/* Fails with STATUS_INPUT, naming the column and what was expected. */
int formula_parse(const char *text, struct formula **formula, struct error *err);
void formula_free(struct formula *formula); /* NULL is fine */

/* The names it asks for, each once, in order of appearance; borrowed. */
const struct strvec *formula_names(const struct formula *formula);

/* The value, with the intervals of its parts carried through. A part that is unknown
 * makes the whole unknown, and its name is pushed to `missing` (may be NULL). Events
 * counted together have no common error: their intervals are independent. */
struct quantity formula_value(const struct formula *formula,
                              struct quantity (*of)(void *data, const char *name),
                              void *data, struct strvec *missing);

#endif
