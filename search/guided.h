/* Private to the guided strategy: its state, and what it writes into the advice. */
#ifndef SEARCH_GUIDED_H
#define SEARCH_GUIDED_H

#include "search/session.h"

struct guided {
    struct session *session;
    size_t now;          /* index of the present best */
    size_t explained;    /* the last best whose traffic is known */
    struct strvec tried; /* transformations tried on the present best */
    struct rule_verdicts verdicts;
};

extern const char GUIDED_KEPT[];

/* By the verdict's rule, on what was explained last. */
struct quantity guided_bound(const struct guided *guided,
                             const struct rule_verdict *verdict);
/* The advice on the transformation, new or known; borrowed until the next call. */
struct advice *guided_advice(struct search_result *result, const char *transformation);

/* What was tried keeps the verdict it was tried under. */
void guided_note_verdict(struct guided *guided, const struct rule_verdict *verdict);
void guided_note_pruned(struct guided *guided);
/* `plan` NULL leaves the one that is there. A further try on top of what was kept does
 * not hide that it was kept. */
void guided_note_outcome(struct guided *guided, const char *transformation,
                         const char *plan, struct quantity measured, const char *outcome);
/* Of the measurements from `first` on, none of which was faster; `list` was proposed. */
void guided_note_best_try(struct guided *guided, const char *transformation,
                          const struct choices *list, size_t first);
/* The rule cannot know that no plan of it makes sense here; the estimate can. */
void guided_note_no_plan(struct guided *guided, const char *transformation,
                         const char *why_not);
/* Advice of which no plan made sense is none in the end. */
void guided_withdraw(struct search_result *result);
/* At the end, when all is measured: marks the verdicts that a measurement contradicts.
 */
void guided_settle(struct search_result *result);
/* What the file's own words offer is no transformation that rules know of. */
void guided_note_tunables(struct guided *guided);
/* Of the first that had a plan to measure. */
void guided_note_first(struct search_result *result, const char *transformation,
                       size_t measured_before);

#endif
