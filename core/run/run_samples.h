/* Which samples count, and what is to be said of them. Private to core/run. */
#ifndef CORE_RUN_RUN_SAMPLES_H
#define CORE_RUN_RUN_SAMPLES_H

#include "core/run/run.h"
#include "core/run/run_launch.h"

/*
 * Replaces the samples of one launch, those from `from` on, by the least of every
 * `minimum_of` undisturbed ones (of all if none is undisturbed); disturbed ones stay
 * beside them as they are. What is left of an unfinished group counts only when there is
 * no finished one. Counts the disturbed.
 */
void samples_take_least(struct run_result *result, size_t from, size_t minimum_of);

/* Copies the samples that count to `out` (room for all): the undisturbed ones of every
 * launch, or all of a launch that has none. Returns how many. */
size_t samples_that_count(const struct run_result *result, struct run_sample *out);

/* What was taken from the samples that a ratio rests on. {0} is the valid empty one. */
struct witness {
    double waited_s, wall_s;
    size_t nr, blurred; /* samples; those of which nobody can tell what it cost them */
};
void witness_add(struct witness *witness, const struct run_sample *sample);
/* The doubt where most samples are blurred. */
void witness_judge(const struct witness *witness, struct quantity *ratio);
/* Share of the time that was taken, and room for what taking it cost: at most so much. */
extern const double witness_room;
void witness_widen(const struct witness *witness, struct quantity *ratio);

/* Clock, background and what was left behind, of one launch that was added. */
void samples_add_facts(struct run_result *result, const struct launch *launch);

/* The sentence for result->note, after the last launch. */
void samples_note(struct run_result *result, const struct run_opts *opts);

#endif
