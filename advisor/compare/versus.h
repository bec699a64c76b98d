/* Two versions of one function: how much faster, every queue before and after, and
 * whether it is less work or faster work. */
#ifndef ADVISOR_VERSUS_H
#define ADVISOR_VERSUS_H

#include "advisor/cli/layout.h"
#include "core/base/quantity.h"
#include "core/files/json.h"
#include "variants/kernel/kernel_view.h"

struct measurement;

enum versus_end {
    VERSUS_UNKNOWN,    /* no ratio */
    VERSUS_NO_CLAIM,   /* the interval holds 1 */
    VERSUS_NEGLIGIBLE, /* certain, but below what drift may cause: 1 % */
    VERSUS_FASTER,
    VERSUS_SLOWER
};
const char *versus_end_word(enum versus_end end);

/* What a call has to do; before / after, and how fast it is done, after / before: the
 * product of the two is the ratio of the times. */
struct versus_work {
    const char *name, *unit;
    struct quantity before, after;
    struct quantity less, faster; /* unknown where one side is, or is 0 */
};

enum { VERSUS_WORK_NR = 6 };

struct versus {
    const char *name[2]; /* borrowed */
    const struct measurement *side[2];
    struct quantity ratio; /* time before / time after: above 1 the second is faster */
    enum versus_end end;
    struct versus_work work[VERSUS_WORK_NR];
    int decisive; /* index of the work that the first version's busiest resource is about;
                     -1 */
    char *ratio_sentence, *work_sentence; /* NULL = nothing to say */
};

/* Borrows names and measurements. `counts` of each side: for FLOPs that nobody counted.
 */
void versus_make(const char *const name[2], const struct measurement *const side[2],
                 const struct kernel_counts counts[2], struct quantity ratio,
                 struct versus *out);
void versus_release(struct versus *versus);
void versus_text(const struct versus *versus, struct layout *layout);
/* Members of inflight.versus/1 that follow from the two measurements. */
void versus_to_json(const struct versus *versus, json_t *root);

#endif
