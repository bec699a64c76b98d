/* Answers from recorded measurements: resume and replay. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/records/records.h"
#include "search/session/subject.h"
#include "tests/search/recorded_space.h"

SUITE(search_recorded);

/* A search whose measurements are kept as documents. */
struct trial {
    struct space space;
    struct search_observer observer;
    json_t *documents;
    struct search_result result;
    struct error err;
};

static int keep(void *data, const struct measurement *measurement, struct error *err)
{
    struct trial *trial = data;

    (void)err;
    json_array_append_new(trial->documents, measurement_to_json(measurement));
    return 0;
}

static int keep_comparison(void *data, const struct compared *comparison,
                           struct error *err)
{
    struct trial *trial = data;

    (void)err;
    json_array_append_new(trial->documents, comparison_to_json(comparison));
    return 0;
}

static void trial_start(struct trial *trial)
{
    space_transpose(&trial->space.kernel, 2000);
    space_init(&trial->space, NULL);
    trial->space.time_s = space_valley;
    trial->documents = json_array();
    trial->observer = (struct search_observer){
        .data = trial, .measured = keep, .compared = keep_comparison};
}

static void trial_run(struct trial *trial, const struct search_runner *runner)
{
    struct search_opts opts = {.rules = space_rules(), .budget_variants = 60};

    search_result_release(&trial->result);
    strvec_release(&trial->space.asked);
    strvec_release(&trial->space.compared);
    check_ok(search_run(&trial->space.subject, runner, &trial->observer, &opts,
                        &trial->result, &trial->err),
             &trial->err);
    rule_set_free((struct rule_set *)(uintptr_t)opts.rules);
}

static void trial_release(struct trial *trial)
{
    json_decref(trial->documents);
    search_result_release(&trial->result);
    space_release(&trial->space);
}

static struct recorded *record(const struct trial *trial,
                               const struct search_runner *behind, size_t nr)
{
    struct recorded *recorded = recorded_new(behind, &trial->space.subject, 2);
    struct error err = {0};

    for (size_t i = 0; i < nr; i++)
        check_ok(recorded_add(recorded, json_array_get(trial->documents, i), &err), &err);
    return recorded;
}

TEST("a resumed search does not measure again")
{
    struct trial trial = {0};
    struct recorded *recorded;
    struct search_runner runner;
    size_t nr, variants;
    char *best;

    trial_start(&trial);
    trial_run(&trial, &trial.space.runner);
    best = xstrdup(trial.result.measurement[trial.result.best].plan);
    check_str(best, "tile(i:32,j:32) simd");
    nr = json_array_size(trial.documents);
    variants = trial.result.measurement_nr;
    recorded = record(&trial, &trial.space.runner, nr);
    check_eq(recorded_nr(recorded), variants);
    runner = recorded_runner(recorded);
    trial_run(&trial, &runner);
    check_eq(trial.space.asked.nr, 0);
    check_eq(trial.space.compared.nr, 0);
    check_str(trial.result.measurement[trial.result.best].plan, best);
    check_eq(trial.result.measurement_nr, variants);
    check(trial.result.measurement[trial.result.best].has_occupancy);
    check(trial.result.measurement[trial.result.best].replayed);
    free(best);
    recorded_free(recorded);
    trial_release(&trial);
}

/* What was measured with cold caches says nothing of warm ones. */
TEST("another environment is another measurement")
{
    struct trial trial = {0};
    struct candidate cold = {"", {.start = RUN_START_COLD}}, warm = {"", {0}};
    struct measurement out = {0};

    trial_start(&trial);
    trial_run(&trial, &trial.space.runner);
    struct recorded *recorded = record(&trial, NULL, 1);
    struct search_runner runner = recorded_runner(recorded);

    check_ok(runner.measure(runner.data, &warm, MEASURE_FULL, 0, &out, &trial.err),
             &trial.err);
    check_eq(out.outcome, RUN_OUTCOME_OK);
    measurement_release(&out);
    check_ok(runner.measure(runner.data, &cold, MEASURE_FULL, 0, &out, &trial.err),
             &trial.err);
    check_eq(out.outcome, RUN_OUTCOME_NOT_BUILT);
    check(!out.replayed);
    measurement_release(&out);
    recorded_free(recorded);
    trial_release(&trial);
}

TEST("what is missing is measured")
{
    struct trial trial = {0};
    struct recorded *recorded;
    struct search_runner runner;
    struct strvec before = {0};

    trial_start(&trial);
    trial_run(&trial, &trial.space.runner);
    strvec_push_all(&before, &trial.space.asked);
    recorded = record(&trial, &trial.space.runner, 3);
    runner = recorded_runner(recorded);
    trial_run(&trial, &runner);
    check_eq(recorded_nr(recorded), 3);
    check(trial.space.asked.nr > 5);
    for (size_t i = 0; i < 3; i++)
        check_eq(space_count(&trial.space.asked, before.v[i]), 0);
    strvec_release(&before);
    recorded_free(recorded);
    trial_release(&trial);
}

TEST("a recorded space replays alone")
{
    struct trial trial = {0};
    struct recorded *recorded;
    struct search_runner runner;
    char *best;

    trial_start(&trial);
    trial_run(&trial, &trial.space.runner);
    best = xstrdup(trial.result.measurement[trial.result.best].plan);
    recorded = record(&trial, NULL, json_array_size(trial.documents));
    runner = recorded_runner(recorded);
    trial_run(&trial, &runner);
    check_eq(trial.space.asked.nr + trial.space.compared.nr, 0);
    check_str(trial.result.measurement[trial.result.best].plan, best);
    check_eq(trial.result.source_gain.provenance, PROVENANCE_RECORDED);
    check_near(trial.result.source_gain.value, 1 / 0.36, 0.01);
    free(best);
    recorded_free(recorded);
    trial_release(&trial);
}

/* ---- single answers ---- */

TEST("a quick record answers quick questions only")
{
    struct bench bench = {0};

    bench_start(&bench, true);
    add(&bench, "simd", MEASURE_QUICK, 2, RUN_OUTCOME_OK);
    check_answer(&bench, "simd", MEASURE_QUICK, "ok 1.9 s");
    check_answer(&bench, "simd", MEASURE_EXPLAIN, "ok 0.95 s, explained, measured");
    check_answer(&bench, "tile(i:8)", MEASURE_QUICK, "ok 0.6 s, measured");
    bench_release(&bench);
}

TEST("an explained record answers every question")
{
    struct bench bench = {0};

    bench_start(&bench, true);
    add(&bench, "simd", MEASURE_EXPLAIN, 2, RUN_OUTCOME_OK);
    check_answer(&bench, "simd", MEASURE_QUICK, "ok 1.9 s, explained");
    check_answer(&bench, "simd", MEASURE_EXPLAIN, "ok 1.9 s, explained");
    bench_release(&bench);
}

/* A crash need not be seen twice. */
TEST("a failure answers every question")
{
    struct bench bench = {0};
    struct candidate candidate = {"simd", {.huge_pages = false}};
    struct measurement crashed = {.plan = xstrdup("simd"),
                                  .outcome = RUN_OUTCOME_CRASHED,
                                  .detail = xstrdup("signal 11"),
                                  .time_s = quantity_unknown(),
                                  .huge_bytes = -1};
    json_t *document = measurement_to_json(&crashed);

    bench_start(&bench, true);
    check_ok(recorded_add(bench.recorded, document, &bench.err), &bench.err);
    check_answer(&bench, "simd", MEASURE_EXPLAIN, "crashed");
    candidate.environment.huge_pages = true; /* another variant */
    measurement_release(&crashed);
    check_ok(bench.runner.measure(bench.runner.data, &candidate, MEASURE_QUICK, 0,
                                  &crashed, &bench.err),
             &bench.err);
    check_eq(crashed.outcome, RUN_OUTCOME_OK);
    json_decref(document);
    measurement_release(&crashed);
    bench_release(&bench);
}

/* As the session asked before: what it repeats is answered by the repetition. */
TEST("records answer in order")
{
    struct bench bench = {0};

    bench_start(&bench, true);
    add(&bench, "simd", MEASURE_QUICK, 2, RUN_OUTCOME_OK);
    add(&bench, "simd", MEASURE_QUICK, 3, RUN_OUTCOME_OK);
    check_eq(recorded_nr(bench.recorded), 1);
    check_answer(&bench, "simd", MEASURE_QUICK, "ok 1.9 s");
    check_answer(&bench, "simd", MEASURE_QUICK, "ok 2.85 s");
    check_answer(&bench, "simd", MEASURE_QUICK, "ok 0.95 s, measured");
    add(&bench, "simd", MEASURE_EXPLAIN, 4, RUN_OUTCOME_OK);
    /* a quick one behind an explained one says nothing */
    add(&bench, "simd", MEASURE_QUICK, 5, RUN_OUTCOME_OK);
    check_answer(&bench, "simd", MEASURE_EXPLAIN, "ok 3.8 s, explained");
    check_answer(&bench, "simd", MEASURE_QUICK, "ok 3.8 s, explained");
    bench_release(&bench);
}

/* An explained question passes over the quick answers. */
TEST("the explained record is found behind quick ones")
{
    struct bench bench = {0};

    bench_start(&bench, true);
    add(&bench, "simd", MEASURE_QUICK, 2, RUN_OUTCOME_OK);
    add(&bench, "simd", MEASURE_EXPLAIN, 4, RUN_OUTCOME_OK);
    check_answer(&bench, "simd", MEASURE_EXPLAIN, "ok 3.8 s, explained");
    bench_release(&bench);
}

TEST("of a recorded space the last record rules")
{
    struct bench bench = {0};

    bench_start(&bench, false);
    add(&bench, "simd", MEASURE_QUICK, 2, RUN_OUTCOME_OK);
    add(&bench, "simd", MEASURE_QUICK, 3, RUN_OUTCOME_OK);
    check_answer(&bench, "simd", MEASURE_QUICK, "ok 2.85 s");
    check_answer(&bench, "simd", MEASURE_QUICK, "ok 2.85 s");
    bench_release(&bench);
}

TEST("what was interrupted is measured again")
{
    struct bench bench = {0};

    bench_start(&bench, true);
    add(&bench, "simd", MEASURE_QUICK, 2, RUN_OUTCOME_INTERRUPTED);
    check_eq(recorded_nr(bench.recorded), 0);
    check_answer(&bench, "simd", MEASURE_QUICK, "ok 0.95 s, measured");
    bench_release(&bench);
}

/* It answers where it would be stopped again, and nowhere else. */
TEST("what was stopped for slow answers within its limit")
{
    static const struct {
        enum measure_effort effort;
        double limit_s;
        size_t asked; /* of the runner behind */
    } cases[] = {{MEASURE_QUICK, 1.5, 0},
                 {MEASURE_QUICK, 0.7, 0},
                 {MEASURE_QUICK, 3, 1},
                 {MEASURE_QUICK, 0, 1},
                 {MEASURE_EXPLAIN, 1.5, 1}};
    struct bench bench = {0};
    struct candidate simd = {"simd", {.huge_pages = false}};
    json_t *document;

    bench_start(&bench, true);
    document = document_of(&bench, "simd", MEASURE_QUICK, 1, RUN_OUTCOME_STOPPED);
    json_object_set_new(document, "time_ns", json_null());
    json_object_set_new(document, "at_least_ns", json_real(1.6e9));
    check_ok(recorded_add(bench.recorded, document, &bench.err), &bench.err);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct measurement measurement = {0};
        size_t before = bench.space.asked.nr;

        check_ok(bench.runner.measure(bench.runner.data, &simd, cases[i].effort,
                                      cases[i].limit_s, &measurement, &bench.err),
                 &bench.err);
        check_eq(bench.space.asked.nr - before, cases[i].asked);
        check_eq(measurement.outcome,
                 cases[i].asked ? RUN_OUTCOME_OK : RUN_OUTCOME_STOPPED);
        check_near(measurement.at_least_s, cases[i].asked ? 0 : 1.6, 1e-9);
        measurement_release(&measurement);
    }
    json_decref(document);
    bench_release(&bench);
}

TEST("a replay says what is missing")
{
    struct bench bench = {0};
    struct candidate none = {"", {.huge_pages = false}},
                     simd = {"simd", {.huge_pages = false}},
                     tile = {"t", {.huge_pages = true}};
    struct measurement measurement = {0};
    struct quantity ratio;

    bench_start(&bench, false);
    add(&bench, "", MEASURE_EXPLAIN, 3, RUN_OUTCOME_OK);
    add(&bench, "simd", MEASURE_QUICK, 1, RUN_OUTCOME_OK);
    check_ok(bench.runner.measure(bench.runner.data, &tile, MEASURE_QUICK, 0,
                                  &measurement, &bench.err),
             &bench.err);
    check_eq(measurement.outcome, RUN_OUTCOME_NOT_BUILT);
    check_str(measurement.detail, "not among the recorded measurements");
    check_str(measurement.plan, "t");
    check(measurement.environment.huge_pages && !measurement.time_s.known);
    measurement_release(&measurement);
    check_answer(&bench, "simd", MEASURE_EXPLAIN, "ok 0.95 s");
    check_ok(bench.runner.compare(bench.runner.data, &none, &simd, 1, &ratio, &bench.err),
             &bench.err);
    check_near(ratio.value, 3 / 0.95, 1e-6);
    check_eq(ratio.provenance, PROVENANCE_RECORDED);
    check_ok(bench.runner.compare(bench.runner.data, &none, &tile, 1, &ratio, &bench.err),
             &bench.err);
    check(!ratio.known);
    bench_release(&bench);
}

TEST("damaged records are refused")
{
    struct bench bench = {0};
    json_t *document = json_pack("{s:s, s:s}", "plan", "simd", "outcome", "ok");

    bench_start(&bench, true);
    check_fails(recorded_add(bench.recorded, document, &bench.err), &bench.err,
                STATUS_INPUT, "recorded measurement: environment: is missing");
    check_eq(recorded_nr(bench.recorded), 0);
    json_decref(document);
    recorded_free(NULL);
    bench_release(&bench);
}
