/* The C of a session's variants, each as a diff against the user's file: equal lines are
 * kept once, since variants of one loop share most of them. */
#ifndef ADVISOR_CODE_DIFFS_H
#define ADVISOR_CODE_DIFFS_H

#include "core/files/json.h"

struct buf;
struct kernel;

/* {0} is empty. */
struct code_diffs {
    char *original;  /* the file as it was when the first plan came; NULL = none came */
    json_t *lines;   /* distinct lines of all diffs, in the order in which they came */
    json_t *place;   /* line to its index in `lines` */
    json_t *diffs;   /* plan to indices, as in code_diffs_json() */
    json_t *refused; /* plan to the reason why there is no C of it */
};

/* Takes in the C of the plan unless that was done before, or the plan is "", the file as
 * it is. Cheap right after a build of it, whose C the kernel keeps; else some
 * milliseconds of isl. A plan of which no C comes is noted with the reason. */
void code_diffs_add(struct code_diffs *code, struct kernel *kernel, const char *plan);

/* {"lines": [...], "diffs": {"tile(i:8)": "0-12 40 3"}, "refused": {...}}: of each plan
 * the lines of its unified diff by their index, ranges with both ends. NULL = no plan
 * came. */
json_t *code_diffs_json(const struct code_diffs *code);

/* The diff of a plan from such a document, appended. False = it is not there or damaged;
 * then `out` is as it was. */
bool code_diffs_text(const json_t *code, const char *plan, struct buf *out);

void code_diffs_release(struct code_diffs *code);

#endif
