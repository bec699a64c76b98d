/* An answer from a saved measurement. */
#ifndef ADVISOR_REPLAYED_H
#define ADVISOR_REPLAYED_H

#include "advisor/cli/settings.h"
#include "advisor/report/numbers.h"

/* settings: measurement (the file), machine, memory, cores. *told is the caller's and
 * outlives the answer; release both, also after a failure. */
int replayed_answer(const struct settings *settings, const struct rule_set *rules,
                    struct told *told, struct answer *answer, struct error *err);

#endif
