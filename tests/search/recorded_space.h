/* Recorded measurements in front of a scripted space, for the suites of recorded.c. */
#ifndef TESTS_SEARCH_RECORDED_SPACE_H
#define TESTS_SEARCH_RECORDED_SPACE_H

#include "search/records/records.h"
#include "search/session/subject.h"
#include "tests/search/scripted_space.h"

static const struct space_entry landscape[] = {{.plan = "tile(*", .seconds = 0.6},
                                               {.plan = "simd", .seconds = 0.95},
                                               {.plan = NULL}};

struct bench {
    struct space space;
    struct recorded *recorded;
    struct search_runner runner;
    struct error err;
};

static inline void bench_start(struct bench *bench, bool behind)
{
    space_gather(&bench->space.kernel, 1000000, 10000000);
    space_init(&bench->space, landscape);
    bench->space.noise = 0;
    bench->recorded =
        recorded_new(behind ? &bench->space.runner : NULL, &bench->space.subject, 2);
    bench->runner = recorded_runner(bench->recorded);
}

static inline void bench_release(struct bench *bench)
{
    recorded_free(bench->recorded);
    space_release(&bench->space);
}

/* What a run of this kind would have been recorded as. */
static inline json_t *document_of(struct bench *bench, const char *plan,
                                  enum measure_effort effort, double time_factor,
                                  enum run_outcome outcome)
{
    struct candidate candidate = {plan, {.huge_pages = false}};
    struct measurement measurement = {0};
    json_t *document;

    check_ok(bench->space.runner.measure(&bench->space, &candidate, effort, 0,
                                         &measurement, &bench->err),
             &bench->err);
    strvec_release(&bench->space.asked);
    measurement.time_s = quantity_scale(measurement.time_s, time_factor);
    measurement.outcome = outcome;
    document = measurement_to_json(&measurement);
    measurement_release(&measurement);
    return document;
}

static inline void add(struct bench *bench, const char *plan, enum measure_effort effort,
                       double time_factor, enum run_outcome outcome)
{
    json_t *document = document_of(bench, plan, effort, time_factor, outcome);

    check_ok(recorded_add(bench->recorded, document, &bench->err), &bench->err);
    json_decref(document);
}

/* "ok 1.5 s", and whether the runner behind was asked. */
static inline void check_answer(struct bench *bench, const char *plan,
                                enum measure_effort effort, const char *want)
{
    struct candidate candidate = {plan, {.huge_pages = false}};
    struct measurement measurement = {0};
    size_t before = bench->space.asked.nr;
    struct buf got = {0};

    check_ok(bench->runner.measure(bench->runner.data, &candidate, effort, 0,
                                   &measurement, &bench->err),
             &bench->err);
    buf_add(&got, run_outcome_word(measurement.outcome));
    if (measurement.time_s.known)
        buf_addf(&got, " %.3g s", measurement.time_s.value);
    buf_addf(&got, "%s%s", measurement.has_occupancy ? ", explained" : "",
             bench->space.asked.nr > before ? ", measured" : "");
    check_str(buf_str(&got), want);
    buf_release(&got);
    measurement_release(&measurement);
}

#endif
