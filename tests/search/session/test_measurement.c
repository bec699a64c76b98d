/* One measurement: its document, there and back; its names. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/live/live.h"
#include "tests/cases.h"
#include "tests/search/scripted_space.h"

SUITE(search_measurement);

/* A gather, explained. */
static void measured(struct space *space, struct measurement *out)
{
    struct candidate candidate = {"prefetch(table:16)", {.huge_pages = true}};
    struct error err = {0};

    space_gather(&space->kernel, 10000000, 100000000);
    space_init(space, NULL);
    check_ok(space->runner.measure(space, &candidate, MEASURE_EXPLAIN, 0, out, &err),
             &err);
    out->huge_bytes = 4194304;
    out->max_relative_error = 1.5e-12;
}

static void there_and_back(const struct measurement *from, struct measurement *to)
{
    json_t *document = measurement_to_json(from), *again = NULL;
    struct error err = {0};
    char *text = json_text(document);

    if (check_ok(json_read_text(text, "m", "inflight.measurement/1", &again, &err),
                 &err)) {
        struct json_at at = json_top("m", again);
        check_ok(measurement_from_json(&at, to, &err), &err);
    }
    free(text);
    json_decref(document);
    json_decref(again);
}

TEST("a document comes back as it was")
{
    struct space space = {0};
    struct measurement from = {0}, to = {0};

    measured(&space, &from);
    from.launches = 3;
    from.disturbed_nr = 2;
    from.clock_step_s = 20e-9;
    from.call_overhead_s = 22e-9;
    there_and_back(&from, &to);
    check_eq(to.launches, 3);
    check_eq(to.disturbed_nr, 2);
    check_near(to.clock_step_s, 20e-9, 1e-9);
    check_near(to.call_overhead_s, 22e-9, 1e-9);
    check_str(to.plan, from.plan);
    check(to.environment.huge_pages);
    check_eq(to.outcome, RUN_OUTCOME_OK);
    check_str(to.detail, NULL);
    check(to.verified);
    check_str(to.verified_sizes, "n=1, 7, 64");
    check_near(to.max_relative_error, 1.5e-12, 1e-9);
    check_near(to.time_s.value, from.time_s.value, 1e-9);
    check_near(to.time_s.low, from.time_s.low, 1e-9);
    check_near(to.time_s.high, from.time_s.high, 1e-9);
    check_eq(to.time_s.runs, 3);
    check_eq(to.sample_nr, 3);
    check_near(to.sample[2].seconds, from.sample[2].seconds, 1e-9);
    check_eq(to.sample[2].launch, 2);
    check_near(to.huge_bytes, 4194304, 0);
    check(to.has_traffic && !to.has_occupancy);
    check_near(to.traffic.edge[2].fills.value, 1.2e7, 1e-9);
    check_eq(to.traffic.provenance, PROVENANCE_MODEL);
    measurement_release(&from);
    measurement_release(&to);
    space_release(&space);
}

/* Explained again from what was read: the same figures. */
TEST("occupancy is computed anew")
{
    struct space space = {0};
    struct measurement from = {0}, to = {0};
    struct error err = {0};

    measured(&space, &from);
    there_and_back(&from, &to);
    check_ok(measurement_explain(&to, &space.machine, 2, &space.kernel.counts, &err),
             &err);
    check_near(to.occupancy.paper_n.value, from.occupancy.paper_n.value, 1e-6);
    check_near(to.occupancy.slack.value, from.occupancy.slack.value, 1e-6);
    check_str(buf_str(&to.occupancy.diagnosis.reason),
              buf_str(&from.occupancy.diagnosis.reason));
    measurement_release(&from);
    measurement_release(&to);
    space_release(&space);
}

/* Cores share all of the work out: two of them are at most twice as fast, whatever the
 * least times would allow. */
TEST("what is shared out is no more times faster than it has sharers")
{
    struct space space = {0};
    struct measurement from = {0};
    struct rule_work work[RESOURCE_NR] = {{0}};
    struct rule_verdict verdict = {.work = work};

    for (int r = 0; r < RESOURCE_NR; r++)
        if (r != RESOURCE_NONE)
            work[verdict.work_nr++] = (struct rule_work){
                .resource = resource_word((enum resource)r), .factor = 0.5, .min = 0.5};
    measured(&space, &from);
    for (int r = 0; r < RESOURCE_NR; r++)
        from.occupancy.resource[r].min_s = quantity_scale(from.time_s, 0.25);
    struct quantity bound = verdict_bound(&verdict, &from.occupancy, from.time_s);
    check_near(bound.value, 2, 1e-9);
    check_near(bound.high, 2, 1e-9);
    work[0].factor = work[0].min = 0.25; /* one of them less than the others */
    bound = verdict_bound(&verdict, &from.occupancy, from.time_s);
    check_near(bound.value, 8, 1e-9);
    measurement_release(&from);
    space_release(&space);
}

TEST("what is unknown stays unknown")
{
    struct measurement from = {.plan = xstrdup(""),
                               .outcome = RUN_OUTCOME_TIMED_OUT,
                               .detail = xstrdup("killed after 60 s"),
                               .time_s = quantity_unknown(),
                               .max_relative_error = NAN,
                               .huge_bytes = -1},
                       to = {0};
    json_t *document = measurement_to_json(&from);

    check(json_is_null(json_object_get(document, "time_ns")));
    check(json_is_null(json_object_get(document, "huge_bytes")));
    check(json_is_null(json_object_get(document, "max_relative_error")));
    check(json_is_null(json_object_get(document, "occupancy")));
    check(json_is_null(json_object_get(document, "provenance")));
    json_decref(document);
    there_and_back(&from, &to);
    check_eq(to.outcome, RUN_OUTCOME_TIMED_OUT);
    check_str(to.detail, "killed after 60 s");
    check(!to.time_s.known && !to.verified && !to.has_traffic);
    check_eq(to.sample_nr, 0);
    check(to.huge_bytes < 0);
    measurement_release(&from);
    measurement_release(&to);
}

/* For programs that read only the top level. */
TEST("the document names what matters at the top")
{
    struct space space = {0};
    struct measurement from = {0};
    json_t *document, *queue;

    measured(&space, &from);
    document = measurement_to_json(&from);
    check_str(json_string_value(json_object_get(document, "schema")),
              "inflight.measurement/1");
    check_str(json_string_value(json_object_get(document, "provenance")), "model");
    check_near(json_number_value(
                   json_object_get(json_object_get(document, "occupancy"), "value")),
               from.occupancy.paper_n.value, 1e-9);
    queue = json_array_get(json_object_get(document, "queues"), 0);
    check_str(json_string_value(json_object_get(queue, "resource")), "l1_mshrs");
    json_decref(document);
    measurement_release(&from);
    space_release(&space);
}

/* A compiler's message cut in the middle of a quotation mark, a file name in Latin-1. */
TEST("bytes that are no UTF-8 do no harm")
{
    struct measurement from = {.plan = xstrdup("simd"),
                               .outcome = RUN_OUTCOME_NOT_BUILT,
                               .detail = xstrdup("k\xe4se.c:1: error: \xe2\x80"),
                               .time_s = quantity_unknown(),
                               .huge_bytes = -1},
                       to = {0};

    there_and_back(&from, &to);
    check_str(to.plan, "simd");
    check_str(to.detail, "k?se.c:1: error: ??");
    measurement_release(&from);
    measurement_release(&to);
}

TEST("without traffic nothing is explained")
{
    struct space space = {0};
    struct measurement none = {.plan = xstrdup("simd")};
    struct error err = {0};

    space_gather(&space.kernel, 1000, 1000);
    space_init(&space, NULL);
    check_fails(measurement_explain(&none, &space.machine, 2, &space.kernel.counts, &err),
                &err, STATUS_FAILED, "no traffic is known for 'simd'");
    check(!none.has_occupancy);
    measurement_release(&none);
    space_release(&space);
}

static int read_measurement(const struct test_case *one, const char *path,
                            struct error *err)
{
    char *name = xasprintf("%s.json", one->name);
    struct measurement out = {0};
    json_t *root = NULL;
    int result = -1;

    if (check_ok(json_read_file(path, "inflight.measurement/1", &root, err), err)) {
        struct json_at at = json_top(name, root);

        result = measurement_from_json(&at, &out, err);
        check(result == 0 || !out.plan);
    }
    measurement_release(&out);
    json_decref(root);
    free(name);
    return result;
}

TEST("damaged documents are refused with their place")
{
    check_refused(INFLIGHT_SOURCE_DIR "/tests/data/search/damaged.cases", 17,
                  read_measurement);
}

TEST("candidates have names")
{
    static const struct {
        struct candidate candidate;
        const char *text;
    } cases[] = {
        {{"", {.huge_pages = false}}, "as written"},
        {{"", {.huge_pages = true}}, "as written, huge pages"},
        {{"simd", {.huge_pages = false}}, "simd"},
        {{"simd", {.start = RUN_START_COLD_DATA}}, "simd, cold-data start"},
        {{"", {.background = RUN_BACKGROUND_DISK}}, "as written, disk load beside"},
        {{"",
          {.huge_pages = true,
           .start = RUN_START_COLD,
           .background = RUN_BACKGROUND_MEMORY}},
         "as written, huge pages, cold start, memory load beside"},
        {{"tile(i:8,j:8) simd", {.huge_pages = true}}, "tile(i:8,j:8) simd, huge pages"},
        {{"simd", {.threads = 4, .schedule = "dynamic,4"}},
         "simd, 4 threads, schedule dynamic,4"},
        {{"simd", {.smt = 2, .compiler = "clang-19", .flags = "-O2 -g"}},
         "simd, compiler clang-19, flags '-O2 -g', 2 hardware threads a core"},
    };
    struct strvec hashes = {0};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *text = candidate_text(&cases[i].candidate);
        char *hash = candidate_hash("k1", &cases[i].candidate);
        char *other = candidate_hash("k2", &cases[i].candidate);

        check_str(text, cases[i].text);
        check_eq(strlen(hash), 16);
        check(strcmp(hash, other) != 0);
        check_eq(space_count(&hashes, hash), 0);
        strvec_push(&hashes, hash);
        free(text);
        free(hash);
        free(other);
    }
    strvec_release(&hashes);
}

/* What is usual is not written, so that old and new documents of it are the same. */
TEST("environments go through JSON")
{
    static const struct environment cases[] = {
        {.huge_pages = false},
        {.huge_pages = true, .start = RUN_START_COLD, .background = RUN_BACKGROUND_DISK},
        {.start = RUN_START_COLD_CODE, .background = RUN_BACKGROUND_ARITHMETIC},
        {.threads = 8, .smt = 2, .compiler = "clang", .schedule = "guided"},
        {.flags = "-O2 -march=native"},
    };
    static const size_t keys[] = {3, 3, 3, 7, 4}; /* what is as by default is left out */

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct measurement from = {.plan = xstrdup("simd"),
                                   .environment = cases[i],
                                   .note = xstrdup("clocks tick"),
                                   .sample = xcalloc(2, sizeof(struct run_sample)),
                                   .sample_nr = 2,
                                   .huge_bytes = -1},
                           to = {0};
        struct json_at at;
        struct error err = {0};
        json_t *document;

        from.sample[0] = (struct run_sample){1e-6, 2e-6, 0, 0, 0, false};
        from.sample[1] = (struct run_sample){
            1e-6, 2e-6, 1, RUN_DISTURBED_STOLEN | RUN_DISTURBED_SLOWED, 5e-6, false};
        document = measurement_to_json(&from);
        check_eq(json_object_size(json_object_get(document, "environment")), keys[i]);
        at = json_top("measurement", document);
        check_ok(measurement_from_json(&at, &to, &err), &err);
        check_eq(to.environment.start, cases[i].start);
        check_eq(to.environment.background, cases[i].background);
        check_str(to.note, "clocks tick");
        if (check_eq(to.sample_nr, 2)) {
            check_eq(to.sample[0].disturbed, 0);
            check_eq(to.sample[1].disturbed, 12);
            check_near(to.sample[0].waited_s, 0, 1e-12);
            check_near(to.sample[1].waited_s, 5e-6, 1e-12);
        }
        json_decref(document);
        measurement_release(&from);
        measurement_release(&to);
    }
}

/* Copies waited for a share of the time, and one alone was asked. */
TEST("one copy agrees or not")
{
    static const struct {
        double share, low, high;
        bool doubted, known, believed;
        double joined_low, joined_high;
    } cases[] = {
        {0.2, 1.8, 2.1, false, true, true, 1.85, 2.3},
        {0.2, 2.15, 2.6, false, true, true, 1.725, 2.2125},
        {0.5, 2.1, 2.4, false, true, true, 1.4, 2.3}, /* half of it was alone */
        {0.95, 1.8, 2.1, false, true, false, 1.9, 2.2},
        {1, 1.8, 2.1, false, true, false, 1.9, 2.2},
        {0.2, 2.3, 2.6, false, true, false, 1.9, 2.2}, /* they share something */
        {0.2, 1.5, 1.8, false, true, false, 1.9, 2.2},
        {0.2, 1.8, 2.1, true, true, false, 1.9, 2.2},
        {0.2, 0, 0, false, false, false, 1.9, 2.2},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct quantity ratio = quantity_between(2, 1.9, 2.2, 4, PROVENANCE_CLOCK),
                        alone = quantity_unknown();

        if (cases[i].known)
            alone = quantity_between(cases[i].low, cases[i].low, cases[i].high, 4,
                                     PROVENANCE_CLOCK);
        alone.doubted = cases[i].doubted;
        ratio.disturbed = cases[i].share;
        live_join_alone(alone, &ratio);
        check_eq(ratio.doubted, !cases[i].believed);
        check_near(ratio.low, cases[i].joined_low, 1e-9);
        check_near(ratio.high, cases[i].joined_high, 1e-9);
    }
}

/* FNV-1a, 64 bit, of "k|as written": what is in databases must not change its name. */
TEST("hashes are stable")
{
    struct candidate none = {"", {.huge_pages = false}};
    char *hash = candidate_hash("k", &none);

    check_str(hash, "5891db7a70bd4fd1");
    free(hash);
}
