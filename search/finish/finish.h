/* What closes a search, as others see it: what the audit found, and the written file. */
#ifndef SEARCH_FINISH_H
#define SEARCH_FINISH_H

#include <stdbool.h>

#include "core/base/quantity.h"

struct search_audit;
struct search_result;

/* "audit: 7 pruned transformations measured, 1 wrongly discarded by rule R: ..."; NULL =
 * there was none. Caller frees. */
char *audit_text(const struct search_audit *audit);

/* Where the file decides: it has no gain, and the kernel as written is the best again. */
bool search_file_is_luck(struct search_result *result, struct quantity gain);
/* Where the file checks, and is that of the best plan: it gives other results at the full
 * size, where the plan was not run before, and the kernel as written is the best again.
 */
bool search_file_is_wrong(struct search_result *result, const char *plan);
/* Where it was interrupted before it could be compared, and so was the plan's own check,
 * the kernel as written is the best again. */
bool search_file_is_unchecked(struct search_result *result, const char *plan);
/* It was checked and not compared: where that was to decide, its gain is what the search
 * saw of its plan, and where that may be none, the kernel as written is the best again.
 */
bool search_file_is_untimed(struct search_result *result);
/* For the comparison of the file written for the winner, when all is to be done within
 * left_s from now; 0 = there is no time for one. */
double search_file_s(const struct search_result *result, double left_s);

#endif
