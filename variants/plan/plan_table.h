/* What the parser and the table share. Private to variants/plan/. */
#ifndef VARIANTS_PLAN_PLAN_TABLE_H
#define VARIANTS_PLAN_PLAN_TABLE_H

#include "variants/plan/plan.h"

enum { PLAN_VALUE_MAX = 1 << 30 };

/* Options take a number, one of words, or the name of a loop. */
struct option_shape {
    const char *name;
    const char *word[4]; /* the first stands for 1 */
    long long high;      /* numbers: 1 .. high; 0 without words: a name */
};
const struct option_shape *option_shape(enum step_option option);

#endif
