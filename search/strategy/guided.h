/* Private to the guided strategy: its state, and what it writes into the advice. */
#ifndef SEARCH_GUIDED_H
#define SEARCH_GUIDED_H

#include "search/propose/propose.h"
#include "search/session/engine.h"

struct guided {
    struct session *session;
    size_t now;          /* index of the present best */
    size_t explained;    /* the last best whose traffic is known */
    struct strvec tried; /* transformations tried on the present best */
    struct rule_verdicts verdicts;
    bool no_more; /* the search ended for want of advice */
};

/* onward.c: the strategy. */
int guided_run(struct session *session, struct error *err);

void guided_set_stop(struct guided *guided, const char *sentence);
/* Of what the search was given, time or variants, nothing is left; `detail` follows. */
void guided_set_used_up(struct guided *guided, const char *detail);
/* That no advice is left, or what became of the rest of it. */
void guided_say_no_more(struct guided *guided);

/* guided.c: as long as rules advise anything, it is tried; `doubtful`: what they advise
 * against by figures whose intervals allow the opposite, too. */
int guided_ask_rules(struct guided *guided, bool doubtful, struct error *err);
/* The same for huge pages, behind all else: where they are advised and there is time. */
int guided_ask_pages(struct guided *guided, struct error *err);
/* `to` adds to `from` what a rule advises against, without a doubt, and what no step of
 * `from` is a pair with (rule_set_pairs). */
bool guided_advises_against(const struct guided *guided, const struct choice *from,
                            const struct choice *to);
/* What parameters are seeded from, on top of `choice`; timed as measurement i. */
struct propose guided_about(const struct guided *guided, size_t i,
                            const struct choice *choice);
int guided_try_plans(struct guided *guided, const char *transformation,
                     struct error *err);
int guided_try_tunables(struct guided *guided, struct error *err);
int guided_try_huge_pages(struct guided *guided, struct error *err);
/* Measurement i becomes the present best when it is faster beyond doubt: interleaved, and
 * right at full size too. The advice on the transformation (NULL = it is of none alone)
 * says what came of it. */
int guided_confirm(struct guided *guided, const char *transformation, size_t i,
                   struct error *err);
void guided_accept(struct guided *guided, size_t i);

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
/* Measurement i, tried without advice on top of `from`: what a rule had advised against
 * says what came of it. */
void guided_note_tried(struct guided *guided, const struct choice *from, size_t i);
/* It was faster: rules that had advised against it are told of as by an audit. `before`:
 * the best before it. */
void guided_note_found(struct guided *guided, size_t before, size_t i,
                       struct quantity gain);
/* The rule cannot know that no plan of it makes sense here; the estimate can. */
void guided_note_no_plan(struct guided *guided, const char *transformation,
                         const char *why_not);
/* The remedy of the cause where the loop that it is in could not be read: a person is to
 * do it, and plans for other loops are none of it. False = it is not so. */
bool guided_note_by_hand(struct guided *guided, const char *transformation);
/* What is advised and was not tried gets a plan to type, as long as there is time. */
void guided_suggest(struct guided *guided);
/* Advice of which no plan made sense is none in the end. */
void guided_withdraw(struct search_result *result);
/* At the end, when all is measured: marks the verdicts that a measurement contradicts.
 */
void guided_remeasure(struct search_result *result);
/* What the file's own words offer is no transformation that rules know of. */
void guided_note_tunables(struct guided *guided);
/* Of the first that had a plan to measure. */
void guided_note_first(struct search_result *result, const char *transformation,
                       size_t measured_before);

#endif
