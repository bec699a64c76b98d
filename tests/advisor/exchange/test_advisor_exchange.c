/* Sessions as documents and back. UPDATE_GOLDEN=1 rewrites session.json and report* of
 * tests/data/exchange; what inflight-exchange makes of them is test_exchange.py's. */
#include <stdlib.h>
#include <string.h>

#include "advisor/exchange/exchanged.h"
#include "search/session/measured.h"
#include "tests/cases.h"
#include "tests/check.h"
#include "tests/core/store/scratch_store.h"

SUITE(advisor_exchange);

static const char folder[] = INFLIGHT_SOURCE_DIR "/tests/data/exchange";

/* ---- a session by hand ---- */

static const struct {
    const char *plan, *pages, *outcome, *detail;
    double time_ns;
} measured[] = {
    {"", "small", "ok", NULL, 4e6},
    {"tile(i:64,j:32)", "small", "ok", NULL, 3e6},
    {"interchange(j,i) tile(j:32,i:64) simd", "small", "ok", NULL, 2.5e6},
    {"simd", "small", "wrong-result", "a[3] differs", 0},
    {"unroll(j:4)", "small", "not-built", "gcc: no", 0},
    {"unroll(j:8)", "small", "interrupted", NULL, 0},
    {"prefetch(a:16,to:L2) prefetch(b:8)", "small", "timed-out", NULL, 0},
    {"pack(B,kt) vec(j:8)", "small", "out-of-memory", NULL, 0},
    {"", "huge", "ok", NULL, 3.75e6},
    {"unroll(j:16)", "small", "stopped", NULL, 0},
    {"tile(i:64,j:32)", "small", "ok", NULL, 2.75e6}, /* once more: the last rules */
};

static json_t *document_of(size_t i)
{
    json_t *root = json_pack("{s:s, s:s, s:{s:s, s:s, s:s}, s:s, s:s?, s:b, s:n, s:[]}",
                             "schema", "inflight.measurement/1", "plan", measured[i].plan,
                             "environment", "pages", measured[i].pages, "start", "warm",
                             "background", "idle", "outcome", measured[i].outcome,
                             "detail", measured[i].detail, "verified",
                             !strcmp(measured[i].outcome, "ok"), "time_ns", "samples_ns");
    double ns = measured[i].time_ns;

    json_object_set_new(root, "cost_s", json_real(0.25 * (double)(i + 1)));
    if (!strcmp(measured[i].outcome, "stopped"))
        json_object_set_new(root, "at_least_ns", json_real(16e6));
    if (!(ns > 0))
        return root;
    json_object_set_new(root, "time_ns",
                        json_pack("{s:f, s:f, s:f, s:i}", "median", ns, "low", ns * 0.75,
                                  "high", ns * 1.25, "runs", 3));
    json_object_set_new(root, "samples_ns",
                        json_pack("[[f, f, i], [f, f, i, i], [f, f, i]]", ns, ns, 0,
                                  9 * ns, 9 * ns, 0, 1, 1.5 * ns, 1.5 * ns, 1));
    return root;
}

static void explain(json_t *document)
{
    json_object_set_new(document, "bandwidth_gbs", json_pack("{s:f}", "value", 12.5));
    json_object_set_new(document, "latency_ns", json_pack("{s:f}", "value", 90.0));
    json_object_set_new(document, "occupancy", json_pack("{s:f}", "value", 8.25));
    json_object_set_new(document, "queues",
                        json_pack("[{s:s, s:{s:f}}, {s:s, s:{s:f}}, {s:s, s:{s:f}}]",
                                  "resource", "l1_mshrs", "utilization", "value", 0.75,
                                  "resource", "l2_mshrs", "utilization", "value", 0.25,
                                  "resource", "memory", "utilization", "value", 0.875));
    json_object_set_new(document, "analysis",
                        json_pack("{s:{s:s}}", "cause", "cause", "l1_mshrs"));
}

static long long store_session(struct fixture *fixture)
{
    struct error err = {0};
    long long session = 0;

    check_ok(store_session_new(fixture->store, "k", "tune", "blur",
                               "{\"file\": \"/home/x/blur.c\", \"function\": \"blur\", "
                               "\"compiler\": \"gcc 12\", \"machine\": \"SKX\", "
                               "\"sizes\": {\"n\": 100, \"m\": 50, \"alpha\": 0.5}}",
                               &session, &err),
             &err);
    for (size_t i = 0; i < ARRAY_SIZE(measured); i++) {
        json_t *document = document_of(i);
        if (i == 0)
            explain(document);
        char *text = json_text(document);
        check_ok(store_measurement_add(fixture->store, session, "v", text, &err), &err);
        free(text);
        json_decref(document);
    }
    return session;
}

/* The session's text, without what differs from run to run. */
static char *exported(struct fixture *fixture, long long id)
{
    struct store_session session;
    struct error err = {0};
    json_t *results = NULL, *document;
    size_t i;

    check_ok(store_session_get(fixture->store, id, &session, &err), &err);
    check_ok(results_of_session(fixture->store, &session, &results, &err), &err);
    json_object_set_new(results, "version", json_string("0"));
    json_array_foreach(json_object_get(results, "measurements"), i, document)
        json_object_set_new(document, "timestamp",
                            json_string("2026-01-31T12:00:00+00:00"));
    char *text = json_text(results);
    json_decref(results);
    store_session_release(&session);
    return text;
}

static long long import_text(struct fixture *fixture, const char *text)
{
    char *path = path_join(fixture->folder, "f.json");
    struct error err = {0};
    json_t *results = NULL;
    long long session = 0;

    check_ok(file_write(path, text, strlen(text), &err), &err);
    if (check_ok(results_read(path, &results, &err), &err)) {
        check_ok(session_of_results(fixture->store, results, "f.json", &session, &err),
                 &err);
        json_decref(results);
    }
    free(path);
    return session;
}

static void check_golden_file(const char *name, const char *got)
{
    char *path = path_join(folder, name);

    check_golden(path, got);
    free(path);
}

/* ---- there and back ---- */

struct plans {
    struct strvec texts;
    size_t nr;
};

/* Every document is one that the search can read, too. */
static int take_plan(void *data, const char *variant, const char *text)
{
    struct plans *plans = data;
    struct measurement measurement = {0};
    struct error err = {0};
    json_t *document = NULL;

    (void)variant;
    if (check_ok(json_read_text(text, "d", "inflight.measurement/1", &document, &err),
                 &err)) {
        struct json_at top = json_top("d", document);
        if (check_ok(measurement_from_json(&top, &measurement, &err), &err)) {
            strvec_pushf(&plans->texts, "%s|%s|%s|%.6g", measurement.plan,
                         measurement.environment.huge_pages ? "huge" : "small",
                         run_outcome_word(measurement.outcome),
                         measurement.time_s.known ? measurement.time_s.value
                                                  : measurement.at_least_s);
            plans->nr++;
        }
        measurement_release(&measurement);
    }
    json_decref(document);
    return 0;
}

TEST("sessions come back")
{
    static const char *const want[] = {
        "|small|ok|0.004",
        "tile(i:64,j:32)|small|ok|0.003",
        "interchange(j,i) tile(j:32,i:64) simd|small|ok|0.0025",
        "simd|small|wrong-result|0",
        "unroll(j:4)|small|not-built|0",
        "unroll(j:8)|small|interrupted|0",
        "prefetch(a:16,to:L2) prefetch(b:8)|small|timed-out|0",
        "pack(B,kt) vec(j:8)|small|out-of-memory|0",
        "|huge|ok|0.00375",
        "unroll(j:16)|small|stopped|0.016",
        "tile(i:64,j:32)|small|ok|0.00275",
    };
    struct fixture fixture = fixture_opened();
    struct plans plans = {0};
    struct error err = {0};
    char *text = exported(&fixture, store_session(&fixture));

    check_golden_file("session.json", text);
    long long back = import_text(&fixture, text);
    check_ok(store_measurement_each(fixture.store, back, take_plan, &plans, &err), &err);
    check_eq(plans.nr, ARRAY_SIZE(want));
    for (size_t i = 0; i < plans.nr && i < ARRAY_SIZE(want); i++)
        check_str(plans.texts.v[i], want[i]);
    strvec_release(&plans.texts);
    char *again = exported(&fixture, back);
    check_str(again, text);
    free(again);
    free(text);
    fixture_drop(&fixture);
}

/* ---- what others measured ---- */

static char *report_of(struct fixture *fixture, long long id, bool evidence)
{
    struct store_session session;
    struct error err = {0};
    struct buf out = {0};
    json_t *report = NULL;

    check_ok(store_session_get(fixture->store, id, &session, &err), &err);
    check_str(session.command, "import");
    check(session.finished != NULL);
    if (check_ok(json_read_text(session.report_json, "r", "inflight.imported/1", &report,
                                &err),
                 &err))
        space_text(report, false, evidence, 80, &out);
    json_decref(report);
    store_session_release(&session);
    return buf_detach(&out);
}

TEST("results are shown, and exported as they came")
{
    static const struct {
        const char *file, *golden;
        bool evidence;
    } cases[] = {{"cache_results.json", "report_cache.txt", false},
                 {"cache_results.json", "report_cache_all.txt", true},
                 {"t4_hub_results.json", "report_hub.txt", false},
                 {"t4_score_results.json", "report_score.txt", false},
                 {"session.json", "report_session.txt", false}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct fixture fixture = fixture_opened();
        char *path = path_join(folder, cases[i].file);
        struct buf text = {0};
        struct plans plans = {0};
        struct error err = {0};
        check_ok(file_read(path, &text, &err), &err);
        long long session = import_text(&fixture, buf_str(&text));
        char *report = report_of(&fixture, session, cases[i].evidence);
        check_golden_file(cases[i].golden, report);
        check_ok(store_measurement_each(fixture.store, session, take_plan, &plans, &err),
                 &err);
        char *again = exported(&fixture, session);
        long long copy = import_text(&fixture, again);
        char *same = exported(&fixture, copy);
        check_str(same, again);
        strvec_release(&plans.texts);
        buf_release(&text);
        free(same);
        free(again);
        free(report);
        free(path);
        fixture_drop(&fixture);
    }
}

/* ---- what is refused ---- */

static int read_results(const struct test_case *one, const char *path, struct error *err)
{
    json_t *results = NULL;
    int status = results_read(path, &results, err);

    (void)one;
    if (!status)
        json_decref(results);
    return status;
}

TEST("damaged results are refused with their place")
{
    check_refused(INFLIGHT_SOURCE_DIR "/tests/data/exchange/results.cases", 14,
                  read_results);
}

/* ---- what cannot be exported ---- */

TEST("sessions without results are refused")
{
    struct fixture fixture = fixture_opened();
    struct store_session session;
    struct error err = {0};
    json_t *results = NULL;
    long long id = 0;

    check_ok(store_session_new(fixture.store, "k", "measure", "blur", NULL, &id, &err),
             &err);
    check_ok(store_session_get(fixture.store, id, &session, &err), &err);
    check_fails(results_of_session(fixture.store, &session, &results, &err), &err,
                STATUS_INPUT, "session 1 (measure of blur) holds no measurements");
    check_ok(store_measurement_add(fixture.store, id, "n=1",
                                   "{\"schema\": \"inflight.point/1\"}", &err),
             &err);
    check_fails(results_of_session(fixture.store, &session, &results, &err), &err,
                STATUS_INPUT, "the session is a sweep");
    store_session_release(&session);
    fixture_drop(&fixture);
}
