/*
 * Counting what metric definitions ask for: of a kernel, or of a program from outside, in
 * as many runs as the counters need. The runs are handed out as they were counted, to be
 * made one by metric_runs_combine.
 */
#ifndef ADVISOR_METRICS_MEASURE_H
#define ADVISOR_METRICS_MEASURE_H

#include "advisor/cli/settings.h"
#include "core/metrics/metrics.h"

struct metrics_request {
    const struct settings *settings; /* the kernel and how it is measured; the program */
    const char *cpu;                 /* as metric_set_load; NULL = this machine's */
    const char *model;               /* only what it rests on; NULL = all models */
    /* How often it is run in all; 0 = as often as there are sets of events, each in the
     * counters at once. More: the sets take turns. Fewer: sets are put together and their
     * events take turns in the counters. */
    size_t runs;
    bool facts; /* only what tells the rules something */
};

/* As the command line says it. */
struct metrics_request metrics_request_of(const struct settings *settings);

enum { METRICS_GIVEN_HERE = 4 };

struct metrics_measured {
    struct metric_set *set;
    struct count_set *run;
    size_t run_nr, run_alloc;
    struct metric_given given[METRICS_GIVEN_HERE]; /* what metrics_given_here tells;
                           of a kernel cores and flops_expected, too */
    size_t given_nr;
    struct strvec note; /* one sentence each: what does not count here and why, what was
                           left out, how often it ran, how it was cut short */
    /* What the program ended with, other than exit 0 ("ended with status 3", "was
     * interrupted"); the counts are those until then. NULL = well. */
    char *ended;
};

/* settings->file: built, verified and run as `measure` does, counted between the gates of
 * its launches: all calls of all copies, `calls` of them in `seconds`. Where hardware
 * does not count: software events, and a run with what the cache model says of a traced
 * call.
 */
int metrics_of_kernel(const struct metrics_request *request,
                      struct metrics_measured *measured, struct error *err);
struct workbench;
/* The same on a bench that is set up; what hardware does not count is left out. */
int metrics_of_bench(struct workbench *bench, const struct metrics_request *request,
                     struct metrics_measured *measured, struct error *err);
/* settings->program: with all processes and threads it starts, each from its first
 * instruction. Where hardware does not count: software events. It is run again for
 * further sets of events. */
int metrics_of_program(const struct metrics_request *request,
                       struct metrics_measured *measured, struct error *err);
/* Also after a failure. */
void metrics_measured_release(struct metrics_measured *measured);

/* line_bytes and vector_bits of this machine, those that are known; how many. */
size_t metrics_given_here(struct metric_given given[METRICS_GIVEN_HERE]);

#endif
