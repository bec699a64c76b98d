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
    char *plan;  /* legal, to be typed: that for it, on top of the plan that the verdict
                    was given for; NULL = none was looked for, or there is none */
    size_t over; /* the measurement that the verdict was given for */
    double
        trust; /* 0 .. 1: the rule's weight, less what its record took from it and what
                  others of the transformation did not bring; 0.5 of what no rule gave */
    bool undecided; /* the figures' intervals allow the opposite verdict, too */
    bool no_plan;   /* it was to be tried, but no plan of it makes sense here */
    bool by_hand;   /* a person is to do it: no plan does, or the loop cannot be read */
    bool refused;   /* likewise, but all of its plans were refused as illegal */
    /* What was measured says otherwise: slower though advised, or faster though not. */
    bool contradicted;
};

/* A bound below it is not worth a try; one above it is taken as that: column walks of
 * bench/advice gained what their bounds said, up to 61 of 68. */
#define ADVICE_MIN_BOUND 1.02
#define ADVICE_MAX_BOUND 64
/* A bound as far as it is believed, 1 .. 10: beyond 10 it says no more than 10. Unknown
 * counts as 2. */
double advice_worth(struct quantity bound_speedup);
/* What is expected of advice that was not tried, over what it was given for: the trust-th
 * power of that, nothing of it at 0, all of it at 1. */
double advice_expected(struct quantity bound_speedup, double trust);
#endif
