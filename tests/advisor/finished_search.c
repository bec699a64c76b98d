#include "tests/advisor/finished_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/finish/headroom.h"
#include "search/live/live.h"
#include "variants/kernel/kernel.h"

static struct quantity timed(double seconds)
{
    return quantity_between(seconds, 0.98 * seconds, 1.02 * seconds, 6, PROVENANCE_CLOCK);
}

struct quantity fixture_gain(double value, double low, double high)
{
    return quantity_between(value, low, high, 6, PROVENANCE_CLOCK);
}

static void set_kernel(struct fixture *fixture)
{
    struct kernel_request request = {.path = INFLIGHT_SOURCE_DIR
                                     "/tests/data/advisor/gather.c"};

    if (check_ok(kernel_open(&request, &fixture->bench.kernel, &fixture->err),
                 &fixture->err))
        check_ok(kernel_bind(fixture->bench.kernel, &fixture->err), &fixture->err);
}

static void set_bench(struct fixture *fixture, const char *command)
{
    struct live_opts opts = {.machine = &fixture->bench.machine, .copies = 1};

    fixture->given[0] = (char *)(uintptr_t)command;
    fixture->given[1] = (char *)(uintptr_t) "gather.c";
    fixture->settings = (struct settings){.command = command,
                                          .compiler = "gcc",
                                          .given = fixture->given,
                                          .given_nr = ARRAY_SIZE(fixture->given)};
    fixture->bench.settings = &fixture->settings;
    fixture->bench.session = 7;
    space_machine(&fixture->bench.machine);
    fixture->bench.toolchain.compiler = xstrdup("gcc");
    fixture->bench.toolchain.version = xstrdup("gcc (Debian) 12.2.0");
    strvec_push(&fixture->bench.toolchain.flags, "-O3");
    strvec_push(&fixture->bench.toolchain.flags, "-march=native");
    set_kernel(fixture);
    opts.kernel = fixture->bench.kernel;
    check_ok(live_new(&opts, &fixture->bench.live, &fixture->err), &fixture->err);
}

struct measurement *fixture_add(struct fixture *fixture, const char *plan,
                                enum run_outcome outcome, double seconds)
{
    struct search_result *result = &fixture->result;

    GROW(result->measurement, result->measurement_nr + 1, result->measurement_alloc);
    struct measurement *new = &result->measurement[result->measurement_nr++];
    *new = (struct measurement){.plan = xstrdup(plan),
                                .outcome = outcome,
                                .time_s = outcome == RUN_OUTCOME_OK ? timed(seconds)
                                                                    : quantity_unknown(),
                                .huge_bytes = -1};
    if (outcome == RUN_OUTCOME_OK) {
        new->verified = true;
        new->verified_sizes = xstrdup("n = 1, 2, 7, 63, 64, 65, 1000");
    } else {
        new->detail = xasprintf("the reason for %s", run_outcome_word(outcome));
    }
    return new;
}

static struct occupancy_resource resource(enum resource which, double n, double limit,
                                          double min_s)
{
    struct quantity model = quantity_exact(1, PROVENANCE_MODEL);

    return (struct occupancy_resource){
        .resource = which,
        .rate = quantity_scale(model, n * 10),
        .residency_ns = quantity_scale(model, 80),
        .n = quantity_between(n, 0.9 * n, 1.1 * n, 0, PROVENANCE_MODEL),
        .limit = quantity_exact(limit, PROVENANCE_TABLE),
        .utilization = quantity_between(n / limit, 0.9 * n / limit, 1.1 * n / limit, 0,
                                        PROVENANCE_DERIVED),
        .min_s = quantity_exact(min_s, PROVENANCE_DERIVED),
        .carries_gbs = quantity_unknown(),
        .saturation = NOT_SATURATED};
}

void fixture_explain(struct measurement *measurement)
{
    struct occupancy *now = &measurement->occupancy;
    struct occupancy_resource none = {.rate = quantity_unknown(),
                                      .residency_ns = quantity_unknown(),
                                      .n = quantity_unknown(),
                                      .limit = quantity_unknown(),
                                      .utilization = quantity_unknown(),
                                      .min_s = quantity_unknown(),
                                      .carries_gbs = quantity_unknown()};

    *now = (struct occupancy){
        .bandwidth_gbs = quantity_exact(3.25, PROVENANCE_MODEL),
        .read_share = quantity_exact(0.9, PROVENANCE_MODEL),
        .latency_ns = quantity_between(82, 80, 85, 0, PROVENANCE_DERIVED),
        .paper_n = quantity_between(2.1, 2, 2.3, 0, PROVENANCE_DERIVED),
        .random_share = quantity_exact(0.95, PROVENANCE_MODEL),
        .in_flight = quantity_unknown(),
        .translation_share = quantity_unknown(),
        .l2_residency_ratio = quantity_unknown(),
        .hugepages_walk_ratio = quantity_unknown(),
        .busiest = RESOURCE_L1_QUEUE,
        .slack = quantity_between(4.7, 4.3, 5.2, 0, PROVENANCE_DERIVED),
        .by_queues = CAUSE_REORDER_BUFFER};
    for (int r = 0; r < RESOURCE_NR; r++) {
        none.resource = (enum resource)r;
        now->resource[r] = none;
    }
    now->resource[RESOURCE_L1_QUEUE] = resource(RESOURCE_L1_QUEUE, 2.1, 10, 0.11);
    now->resource[RESOURCE_L2_QUEUE] = resource(RESOURCE_L2_QUEUE, 2.2, 48, 0.02);
    now->resource[RESOURCE_MEMORY] = resource(RESOURCE_MEMORY, 3.25, 40, 0.04);
    now->resource[RESOURCE_MEMORY].n = quantity_unknown();
    now->diagnosis.cause = CAUSE_REORDER_BUFFER;
    buf_add(&now->diagnosis.sentence, "Misses are not started early enough.");
    buf_add(&now->diagnosis.reason, "Nothing that was counted is at its limit. The core "
                                    "looks 224 instructions ahead, and among these there "
                                    "are only about 2.5 misses.");
    measurement->traffic =
        (struct traffic){.level_nr = 3, .line_bytes = 64, .provenance = PROVENANCE_MODEL};
    measurement->has_traffic = measurement->has_occupancy = true;
}

struct advice *fixture_advise(struct fixture *fixture, const char *name,
                              enum verdict verdict, double bound)
{
    struct search_result *result = &fixture->result;

    GROW(result->advice, result->advice_nr + 1, result->advice_alloc);
    struct advice *new = &result->advice[result->advice_nr++];
    *new = (struct advice){
        .transformation = xstrdup(name),
        .verdict = verdict,
        .rule = xasprintf("%s.rule", name),
        .reason = xasprintf("What the rule says of %s, in one sentence or two.", name),
        .source = xstrdup("a paper"),
        .trust = 0.6,
        .bound_speedup = bound > 0 ? fixture_gain(bound, 0.9 * bound, 1.1 * bound)
                                   : quantity_unknown(),
        .measured_speedup = quantity_unknown()};
    return new;
}

void fixture_prune(struct fixture *fixture, const char *plan, const char *rule,
                   const char *reason)
{
    struct search_result *result = &fixture->result;

    GROW(result->pruned, result->pruned_nr + 1, result->pruned_alloc);
    result->pruned[result->pruned_nr++] =
        (struct pruned){xstrdup(plan), xstrdup(rule), xstrdup(reason)};
}

void fixture_start(struct fixture *fixture, const char *command)
{
    set_bench(fixture, command);
    fixture->result =
        (struct search_result){.source_gain = quantity_exact(1, PROVENANCE_CLOCK),
                               .environment_gain = quantity_unknown(),
                               .total_gain = quantity_unknown(),
                               .headroom_bound = fixture_gain(2.4, 2.2, 2.6),
                               .headroom_resource = RESOURCE_L1_QUEUE,
                               .left = {.verdict = HEADROOM_SOME,
                                        .bound = {.same = fixture_gain(2.4, 2.2, 2.6),
                                                  .min = fixture_gain(9.1, 5.5, INFINITY),
                                                  .same_by = RESOURCE_L1_QUEUE,
                                                  .min_by = RESOURCE_MEMORY},
                                        .tries = 4},
                               .stop = xstrdup("no rule says that anything else can pay"),
                               .seconds = 41.6,
                               .space_size = -1};
    fixture->input = (struct report_input){.bench = &fixture->bench,
                                           .result = &fixture->result,
                                           .emitted_gain = quantity_unknown()};
    fixture->result.left.sentence = headroom_text(&fixture->result.left);
    fixture_explain(fixture_add(fixture, "", RUN_OUTCOME_OK, 0.52));
}

void fixture_release(struct fixture *fixture)
{
    search_result_release(&fixture->result);
    live_free(fixture->bench.live);
    toolchain_release(&fixture->bench.toolchain);
    kernel_free(fixture->bench.kernel);
}

json_t *fixture_document(struct fixture *fixture)
{
    json_t *report = report_json(&fixture->input);
    json_t *kernel = json_object_get(report, "kernel");

    check_eq(strlen(json_string_value(json_object_get(report, "date"))), 20);
    json_object_set_new(report, "date", json_string("2026-01-31T12:00:00Z"));
    json_object_set_new(report, "version", json_string("0"));
    json_object_set_new(json_object_get(report, "machine"), "load",
                        json_string("1 copy"));
    check_contains(json_string_value(json_object_get(kernel, "file")), "gather.c");
    check_str(json_string_value(json_object_get(kernel, "function")), "gather");
    check_near(json_number_value(json_object_get(json_object_get(kernel, "sizes"), "m")),
               4000, 0);
    check_eq(json_array_size(json_object_get(kernel, "arrays")), 3);
    json_object_set_new(report, "kernel",
                        json_pack("{s:s, s:s, s:{s:i, s:i}}", "file", "gather.c",
                                  "function", "gather", "sizes", "n", 1000, "m", 4000));
    report_settle(report); /* commands name the file */
    return report;
}
