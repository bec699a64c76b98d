/* Private to advisor/metrics_*.c that count. */
#ifndef ADVISOR_METRICS_PARTS_H
#define ADVISOR_METRICS_PARTS_H

#include "advisor/metrics/metrics_measure.h"

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

/* Of these events those that counters count: not the software-defined ones. */
void metrics_counted(const struct strvec *event, struct strvec *out);

/* Of these events those that PAPI is to count in the program's threads. */
void metrics_counted_inside(const struct strvec *event, struct strvec *out);

/* Fails: there is no run, and why. */
int metrics_nothing(const struct metrics_measured *measured, struct error *err);

/* What it ended with, as struct metrics_measured has it. Caller frees. */
char *metrics_end_text(const struct spawn_outcome *outcome);
/* Says that it will run so often, where that is more than once. */
void metrics_announce(const struct settings *settings, size_t runs);

/* Room for the counts of a further run. */
struct count_set *metrics_add_run(struct metrics_measured *measured);

#endif
