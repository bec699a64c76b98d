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
    struct copy_results *second; /* the same of the second of two in turn; or NULL */
    size_t copies;
    unsigned blame; /* LAUNCH_ bits: whose the verdict is when it is not OK */
    long max_rss_kib, involuntary_switches, major_faults;
    double wall_s;
    double starting_s;     /* as in struct run_result */
    size_t left_behind;    /* processes that outlived their copy and were ended */
    char *background_note; /* what could not be done as asked; NULL = nothing */
};
void launch_release(struct launch *launch);

/* `opts` as launch_defaults gives them; sampling shall take at most limit_s. */
int launch_run(const struct run_program *program, const struct run_opts *opts,
               double limit_s, struct launch *launch, struct error *err);

/* For launches of any kind. */

/* The options without zeroes that mean a default. */
struct run_opts launch_defaults(const struct run_opts *opts);
/* The options with what program->place says in their stead. */
struct run_opts launch_placed(const struct run_program *program,
                              const struct run_opts *opts);
/* What all harness programs take: the program, its args, pages, cpu, memory. */
void launch_push_common(struct strvec *argv, const struct run_program *program,
                        const struct run_opts *opts, size_t copy);
/* And what those take that measure: which copy it is, where the copies meet, and how
 * calls begin. */
void launch_push_copy(struct strvec *argv, const struct run_opts *opts, size_t copy,
                      const char *barrier);
/* OpenMP's settings for one copy. */
void launch_push_environment(struct strvec *env, const struct run_program *program,
                             const struct run_opts *opts, size_t copy);
/* Fails when the end says that there was no start. */
int launch_check_started(const struct run_program *program,
                         const struct spawn_outcome *end, struct error *err);

/* Before its results are looked at: why it ended, and what it used. */
void launch_add_usage(struct launch *launch, const struct spawn_outcome *end);
void launch_join_verdict_take(struct launch *launch, struct verdict verdict,
                              unsigned blame);
/* Of one copy and side: both are told apart by `blame` when the results are no good. */
void launch_read_results(struct launch *launch, const char *path, size_t samples_max,
                         double wall_s, struct copy_results *results, unsigned blame);
/* A private folder below opts->scratch, or one of its own; *own tells which. */
int launch_make_folder(const struct run_opts *opts, char **folder, bool *own,
                       struct error *err);
void launch_remove_folder(char *folder_owned, bool own);
/* Zeroes for the file in which copies meet. */
int launch_make_barrier(const char *path, struct error *err);
enum { LAUNCH_BARRIER_BYTES = 4096 };

#endif
