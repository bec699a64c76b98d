/* What the end of a child means. Private to core/run. */
#ifndef CORE_RUN_RUN_OUTCOME_H
#define CORE_RUN_RUN_OUTCOME_H

#include "core/run/run.h"

/* An outcome and the sentence for it (NULL when OK); who holds it frees the sentence. */
struct verdict {
    enum run_outcome outcome;
    char *detail;
    /* When several copies are judged, the highest weight tells the cause: an interrupt,
     * then a fault of the copy's own, then a timeout (others wait for it at the barrier),
     * then SIGKILL (we end the others so). */
    int weight;
};

/* What the judge must know beside the end itself. */
struct circumstances {
    double limit_s;
    /* Processes that the system has killed for want of memory, before the launch and
     * after it; -1 = not told. */
    long long kills_before, kills_after;
};
struct circumstances circumstances_before(double limit_s);
void circumstances_after(struct circumstances *circumstances);

/* Not for SPAWN_NOT_STARTED, which is no end of a program. */
struct verdict verdict_of_end(const struct spawn_outcome *end,
                              const struct circumstances *around);
/* A program that exited with 0 but did not deliver; takes the sentence over. */
struct verdict verdict_bad_results_take(char *detail);
/* Keeps the weightier of the two in `worst` and releases the other. */
void verdict_join_take(struct verdict *worst, struct verdict other);

#endif
