/* Which events are counted in which run of a program. */
#ifndef CORE_METRICS_METRIC_PLAN_H
#define CORE_METRICS_METRIC_PLAN_H

#include "core/base.h"

struct metric_set;

struct metric_plan_request {
    const struct metric_set *set;
    const char *model; /* only what its metrics rest on; NULL = all models */
    bool facts;        /* only metrics that tell the rules something */
    /* What memory_read_bytes and memory_write_bytes are computed from, planned where a
     * metric asks for these; NULL = nothing. */
    const struct strvec *memory;
    /* Into so many runs, by turns in the counters where they do not fit; 0 = as many as
     * it takes that all events of a run count all the time. */
    size_t runs_most;
    /* As papi_events_fit: whether events can be counted, and all at once. */
    int (*fits)(void *data, const struct strvec *event, bool *at_once, struct error *err);
    void *data;
};

struct metric_plan {
    struct strvec *run; /* what is counted in it, by the names that count here: the
                           definition's, else the alias that does */
    size_t run_nr, run_alloc;
    bool by_turns;      /* runs_most was too few */
    bool hardware;      /* anything but software's own events is counted */
    size_t missing_nr;  /* events that cannot be counted here, ... */
    struct strvec note; /* ... with the reason, one sentence each; one for all when none
                           of them can */
};

/* Cycles and instructions are in every run, as far as they can be counted. The events
 * that the definitions' source counted together stand in one run if they fit, and so do
 * those of a metric, unless all of them are counted anyway. Without any event there are
 * no runs. Caller releases. */
void metric_plan_make(const struct metric_plan_request *request,
                      struct metric_plan *plan);
void metric_plan_release(struct metric_plan *plan);

#endif
