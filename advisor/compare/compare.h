/* Two machine profiles side by side: every quantity, its ratio, and whether the intervals
 * leave a doubt. */
#ifndef ADVISOR_COMPARE_H
#define ADVISOR_COMPARE_H

#include "core/base/quantity.h"
#include "core/files/json.h"

struct buf;
struct machine;

struct comparison_row {
    char *group, *name; /* "memory", "unloaded latency" */
    const char *unit;   /* of a and b; "" = a number */
    struct quantity a, b;
    struct quantity ratio; /* b / a; unknown where one is, or where an interval holds 0 */
};

struct comparison {
    char *a, *b; /* the profiles' names */
    struct comparison_row *row;
    size_t row_nr, row_alloc;
};

void compare_machines(const struct machine *a, const struct machine *b,
                      struct comparison *out);
void comparison_release(struct comparison *comparison);
/* "overlap", "apart" or "unknown". */
const char *comparison_word(const struct comparison_row *row);
void comparison_text(const struct comparison *comparison, struct buf *out);
json_t *comparison_json(const struct comparison *comparison);

#endif
