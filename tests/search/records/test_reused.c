/* Answers of other sessions, and recorded comparisons. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/records/records.h"
#include "search/session/measured.h"
#include "search/session/subject.h"
#include "tests/search/recorded_space.h"

SUITE(search_reused);

static void add_from(struct bench *bench, const char *plan, enum measure_effort effort,
                     double time_factor, struct recorded_source source)
{
    json_t *document = document_of(bench, plan, effort, time_factor, RUN_OUTCOME_OK);

    check_ok(recorded_add_from(bench->recorded, document, &source, &bench->err),
             &bench->err);
    json_decref(document);
}

TEST("other sessions answer where the own has nothing")
{
    struct bench bench = {0};
    struct recorded_source other = {true, 7}, copy = {true, 0};
    struct candidate simd = {"simd", {0}}, tile = {"tile(i:8)", {0}};
    struct measurement out = {0};

    bench_start(&bench, true);
    add_from(&bench, "simd", MEASURE_QUICK, 2, other);
    add_from(&bench, "simd", MEASURE_QUICK, 3, other);
    add_from(&bench, "tile(i:8)", MEASURE_QUICK, 2, other);
    add_from(&bench, "tile(i:8)", MEASURE_QUICK, 4, copy);
    check_ok(bench.runner.measure(bench.runner.data, &simd, MEASURE_QUICK, 0, &out,
                                  &bench.err),
             &bench.err);
    check(out.replayed && out.reused);
    check_eq(out.origin, 7);
    check_near(out.time_s.value, 2.85, 1e-6); /* the last one */
    measurement_release(&out);
    check_ok(bench.runner.measure(bench.runner.data, &tile, MEASURE_QUICK, 0, &out,
                                  &bench.err),
             &bench.err);
    check(out.replayed && out.reused && !out.origin);
    check_near(out.time_s.value, 2.4, 1e-6); /* this session's own copy */
    measurement_release(&out);
    check_answer(&bench, "simd", MEASURE_EXPLAIN, "ok 0.95 s, explained, measured");
    check_eq(*recorded_skipped_s(bench.recorded), 0);
    bench_release(&bench);
}

static void add_comparison(struct bench *bench, double seconds, double ratio,
                           struct recorded_source source)
{
    struct compared compared = {
        .a = {"", {0}},
        .b = {"simd", {0}},
        .seconds = seconds,
        .ratio = quantity_between(ratio, ratio, ratio, 5, PROVENANCE_CLOCK),
        .cost_s = 3};
    json_t *document = comparison_to_json(&compared);

    check_ok(recorded_add_from(bench->recorded, document, &source, &bench->err),
             &bench->err);
    json_decref(document);
}

static double ratio_of(struct bench *bench, const char *plan, double seconds)
{
    struct candidate none = {"", {0}}, other = {plan, {0}};
    struct quantity ratio;

    check_ok(bench->runner.compare(bench->runner.data, &none, &other, seconds, &ratio,
                                   &bench->err),
             &bench->err);
    return ratio.value;
}

TEST("comparisons are not repeated")
{
    struct bench bench = {0};
    struct recorded_source own = {0};

    bench_start(&bench, true);
    add_comparison(&bench, 2, 1.5, own);
    add_comparison(&bench, 6, 1.25, own);
    check_near(ratio_of(&bench, "simd", 3), 1.5, 1e-9); /* whatever time is left now */
    check(recorded_last(bench.recorded)->replayed);
    check_near(ratio_of(&bench, "simd", 9), 1.25, 1e-9);
    check_near(*recorded_skipped_s(bench.recorded), 6, 1e-9);
    check_eq(bench.space.compared.nr, 0);
    check_near(ratio_of(&bench, "simd", 2), 1 / 0.95, 1e-9);
    check(!recorded_last(bench.recorded)->replayed);
    check_eq(bench.space.compared.nr, 1);
    bench_release(&bench);
}

TEST("comparisons of others answer what is asked for")
{
    struct bench bench = {0};
    struct recorded_source other = {true, 3};

    bench_start(&bench, true);
    add_comparison(&bench, 2, 1.5, other);
    check_near(ratio_of(&bench, "simd", 2), 1.5, 1e-9);
    check_eq(recorded_last(bench.recorded)->origin, 3);
    check_near(ratio_of(&bench, "simd", 2), 1.5, 1e-9);
    check_near(ratio_of(&bench, "simd", 8), 1 / 0.95, 1e-9); /* took too little time */
    check_eq(*recorded_skipped_s(bench.recorded), 0);
    bench_release(&bench);
}

/* Of the file written for a plan, which is not the plan itself. */
TEST("files are compared apart")
{
    struct bench bench = {0};
    struct compared asked = {.b = {"simd", {0}}, .a = {"", {0}}, .file = true},
                    known = asked;
    struct recorded_source own = {0};
    json_t *document;

    bench_start(&bench, true);
    add_comparison(&bench, 2, 1.5, own);
    check(!recorded_comparison(bench.recorded, &asked));
    known.verified = true;
    known.ratio = quantity_unknown();
    document = comparison_to_json(&known);
    check_ok(recorded_add_from(bench.recorded, document, &own, &bench.err), &bench.err);
    json_decref(document);
    check(recorded_comparison(bench.recorded, &asked));
    check(asked.verified && asked.replayed && !asked.ratio.known);
    bench_release(&bench);
}
