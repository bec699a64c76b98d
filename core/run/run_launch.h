/* One launch of one program: all its copies at once, to their end. Private to core/run.
 */
#ifndef CORE_RUN_RUN_LAUNCH_H
#define CORE_RUN_RUN_LAUNCH_H

#include "core/run/run.h"
#include "core/run/run_outcome.h"
#include "core/run/run_results.h"

enum { LAUNCH_FIRST = 1, LAUNCH_SECOND = 2, LAUNCH_BOTH = 3 };

struct launch {
    struct verdict verdict;
    struct copy_results *copy;   /* [copies] when the verdict is OK */
    struct copy_results *second; /* the same of the second variant of a pair; or NULL */
    size_t copies;
    unsigned blame; /* LAUNCH_ bits: whose the verdict is when it is not OK */
    long max_rss_kib, involuntary_switches, major_faults;
    double wall_s;
    size_t left_behind;    /* processes that outlived their copy and were ended */
    char *background_note; /* what could not be done as asked; NULL = nothing */
};
void launch_release(struct launch *launch);

/* `opts` as launch_defaults gives them; sampling shall take at most limit_s. */
int launch_run(const struct run_program *program, const struct run_opts *opts,
               double limit_s, struct launch *launch, struct error *err);

/* The same for a program of two variants; in_front: the one that comes first, 0 or 1. */
int launch_run_pair(const struct run_program *program, const struct run_opts *opts,
                    double limit_s, int in_front, struct launch *launch,
                    struct error *err);

/* For launches of any kind. */

/* The options without zeroes that mean a default. */
struct run_opts launch_defaults(const struct run_opts *opts);
/* The options with what program->place says in their stead. */
struct run_opts launch_placed(const struct run_program *program,
                              const struct run_opts *opts);
/* What all harness programs take: the program, its args, pages, cpu, memory. */
void launch_push_common(struct strvec *argv, const struct run_program *program,
                        const struct run_opts *opts, size_t copy);
/* OpenMP's settings for one copy. */
void launch_push_environment(struct strvec *env, const struct run_program *program,
                             const struct run_opts *opts, size_t copy);
/* Fails when the end says that there was no start. */
int launch_check_started(const struct run_program *program,
                         const struct spawn_outcome *end, struct error *err);

#endif
