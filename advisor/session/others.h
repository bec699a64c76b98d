/* What the winners of other kinds of nodes are worth on this one (--on). */
#ifndef ADVISOR_OTHERS_H
#define ADVISOR_OTHERS_H

#include "core/files/json.h"

struct context;
struct error;
struct search_result;

/*
 * Tells the campaign the winner, waits for those of the kinds that are still searching
 * (until a quarter of the budget, at least a minute, behind its end), and measures
 * them on the home node, the only one that stays. *list: [{"kind", "plan", "end", "gain",
 * "over_winner", "reason"}], caller json_decref's; NULL = there are no other kinds. An
 * interrupt, the end of the node-seconds and the loss of the node are reasons in it.
 */
int others_measure(struct context *bench, const struct search_result *result,
                   json_t **list, struct error *err);

#endif
