/* What the rules said of one transformation, and what came of it. */
#ifndef SEARCH_ADVICE_H
#define SEARCH_ADVICE_H

#include "core/base/quantity.h"
#include "rules/rules.h"

struct advice {
    char *transformation;
    enum verdict verdict;
    char *rule, *reason, *source;
    struct quantity bound_speedup;    /* unknown = the evidence gives none */
    struct quantity measured_speedup; /* of the best tried plan that adds it, over the
                                         plan before it; unknown = not tried */
    char *tried_plan;                 /* NULL = not tried */
    char *outcome;                    /* one sentence when tried or why not tried */
    bool undecided; /* the figures' intervals allow the opposite verdict, too */
    bool no_plan;   /* it was to be tried, but no plan of it makes sense here */
    bool refused;   /* likewise, but all of its plans were refused as illegal */
    /* What was measured says otherwise: slower though advised, or faster though not. */
    bool contradicted;
};
#endif
