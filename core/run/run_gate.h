/*
 * The gate: the copies of one launch stop before their first and after their last sample
 * until we let them go on, so that counters cover the samples and nothing else. Private
 * to core/run.
 */
#ifndef CORE_RUN_RUN_GATE_H
#define CORE_RUN_RUN_GATE_H

#include "core/run/run.h"

/* The pipes of one copy; [0] is read from. We keep the copy's ends open too: so a copy
 * that dies neither looks like one that spoke nor gives us a SIGPIPE. */
struct gate_pipes {
    int to_copy[2], from_copy[2];
};

/* {0} is the valid empty one. */
struct gate {
    struct gate_pipes *pipes;
    size_t nr;
};
int gate_open(struct gate *gate, size_t copies, struct error *err);
void gate_release(struct gate *gate);
/* The ends that only copies write to are theirs alone from now on: what a copy says then
 * ends with it. */
void gate_keep_ours(struct gate *gate);

/*
 * Waits for the started copies to end, as spawn_wait_all with all_or_none, in a thread,
 * and serves the gate in this one: at_gate is for the caller's thread, while the copies'
 * output must be drained all the time. On -1 copies may be left that nobody has waited
 * for: those whose child[i] is not NULL.
 */
int gate_wait_all(struct gate *gate, const struct run_opts *opts,
                  struct spawn_child **child, struct spawn_outcome *outcome,
                  struct error *err);

#endif
