/*
 * Counting what metric definitions ask for: of a kernel, or of a program from outside, in
 * as many runs as the counters need. The runs are handed out as they were counted, to be
 * made one by metric_runs_combine.
 */
#ifndef ADVISOR_METRICS_MEASURE_H
#define ADVISOR_METRICS_MEASURE_H

#include "advisor/cli/settings.h"
#include "core/metrics/metrics.h"
#include "core/traffic/traffic.h"

struct error;
struct spawn_outcome;

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
struct context;
/* The same on a bench that is set up; what hardware does not count is left out. */
int metrics_of_bench(struct context *bench, const struct metrics_request *request,
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

/* What is to be counted. */
struct metrics_plan {
    struct metric_plan plan;
    struct strvec memory; /* events of the bandwidth */
    struct papi_counter_opts opts;
    bool of_regions; /* PAPI counts them within the program, REGION_EVENTS_MAX at once */
};

/*
 * Sets measured->set and plans its runs: the file that is named, or this CPU's; with the
 * kernel's software events. Where the hardware does not count, notes why and takes the
 * shipped file `instead` in its stead (NULL = only the software events).
 */
int metrics_prepare(const struct metrics_request *request, const char *instead,
                    struct metrics_measured *measured, struct metrics_plan *plan,
                    struct error *err);
void metrics_plan_done(struct metrics_plan *plan);

/* How often it is run in all, and what run i counts. */
size_t metrics_runs(const struct metrics_request *request,
                    const struct metrics_plan *plan);
const struct strvec *metrics_run(const struct metrics_plan *plan, size_t i);

/* Of these events those that PAPI is to count in the program's threads. */
void metrics_counted_inside(const struct strvec *event, struct strvec *out);

/* What it ended with, as struct metrics_measured has it. Caller frees. */
char *metrics_end_text(const struct spawn_outcome *outcome);
/* Says that it will run so often, where that is more than once. */
void metrics_announce(const struct settings *settings, size_t runs);

#endif
