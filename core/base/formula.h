/*
 * Formulas over named quantities, read from data: `(READS + WRITES) * 64 / seconds`.
 * Numbers, names, + - * / ( ), min(a,b), max(a,b), d_ratio(a,b) = a/b. A name begins with
 * a letter or _ and is a run of letters, digits and _ . : = [ ] % @ - (events as counters
 * write them; so a minus behind a name needs a blank before it), or any text in double
 * quotes. Knows no domain.
 */
#ifndef CORE_BASE_FORMULA_H
#define CORE_BASE_FORMULA_H

#include "core/base/array.h"
#include "core/base/error.h"
#include "core/base/quantity.h"

struct formula; /* opaque */

/* Fails with STATUS_INPUT, naming the column (from 1) and what was expected. */
int formula_parse(const char *text, struct formula **formula, struct error *err);
void formula_free(struct formula *formula); /* NULL is fine */

/*
 * A new formula in which the names that `of` knows (it returns NULL for others) are
 * replaced by what they stand for, so that a quantity in several places moves in all of
 * them at once. What `of` gives is taken as it is: inline it first. Caller frees.
 */
struct formula *formula_inlined(const struct formula *formula,
                                const struct formula *(*of)(void *data, const char *name),
                                void *data);

/* The names it asks for, each once, in order of appearance; borrowed. */
const struct strvec *formula_names(const struct formula *formula);

/*
 * The value, with the intervals of its parts carried through. `of` is asked once per
 * name; a part that is unknown makes the whole unknown, and its name is pushed to
 * `missing` (may be NULL). err (may be NULL) gets the sentence when the value is unknown:
 * what is missing, or the column of a division by 0; never NaN or infinity.
 *
 * Events counted together have no common error: their intervals are independent. Each
 * name in turn goes to both ends of its interval, wherever it appears (so a/(a+b) does
 * not count a twice), while the others stay at their values; the excursions of all names
 * add as the root of the sum of squares. This is exact for sums and first-order for the
 * rest; a division whose divisor may be 0 within one name's interval is unknown. runs is
 * the fewest of the parts that are statistics; provenance that of the parts, DERIVED when
 * they differ or there are none.
 */
struct quantity formula_value(const struct formula *formula,
                              struct quantity (*of)(void *data, const char *name),
                              void *data, struct strvec *missing, struct error *err);

#endif
