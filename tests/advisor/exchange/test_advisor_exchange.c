/* Sessions to files of other tuners and back. UPDATE_GOLDEN=1 rewrites
 * tests/data/exchange/session_* and report*. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/exchange/exchanged.h"
#include "core/files/gz.h"
#include "search/session/measured.h"
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
    json_object_set_new(document, "analysis", json_pack("{s:s}", "limiter", "l1_mshrs"));
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
static char *exported(struct fixture *fixture, long long id, enum exchange_format format)
{
    struct store_session session;
    struct exchange_space space;
    struct buf out = {0};
    struct error err = {0};

    check_ok(store_session_get(fixture->store, id, &session, &err), &err);
    if (check_ok(space_of_session(fixture->store, &session, &space, &err), &err)) {
        for (size_t i = 0; i < space.result_nr && strcmp(session.command, "import");
             i++) {
            check_eq(strlen(space.result[i].timestamp), 25);
            free(space.result[i].timestamp);
            space.result[i].timestamp = xstrdup("2026-01-31T12:00:00+00:00");
        }
        if (json_object_get(space.extra, "autotuner_version"))
            exchange_keep(&space.extra, "autotuner_version", json_string("0"));
        check_ok(exchange_text(&space, format, &out, &err), &err);
    }
    exchange_space_release(&space);
    store_session_release(&session);
    return buf_detach(&out);
}

static long long import_text(struct fixture *fixture, const char *text, const char *name)
{
    char *path = path_join(fixture->folder, name), *note = NULL;
    struct imported imported = {.path = "f.json", .format = EXCHANGE_FORMAT_NR};
    struct exchange_space space;
    struct error err = {0};
    long long session = 0;

    check_ok(file_write_gz(path, text, strlen(text), &err), &err);
    if (check_ok(exchange_read(path, &imported.format, &space, &note, &err), &err))
        check_ok(session_of_space(fixture->store, &space, &imported, &session, &err),
                 &err);
    exchange_space_release(&space);
    free(note);
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

static void check_plans(struct fixture *fixture, long long session)
{
    static const char *const want[] = {
        "|small|ok|0.004",
        "tile(i:64,j:32)|small|ok|0.00275",
        "interchange(j,i) tile(j:32,i:64) simd|small|ok|0.0025",
        "simd|small|wrong-result|0",
        "unroll(j:4)|small|not-built|0",
        "prefetch(a:16,to:L2) prefetch(b:8)|small|timed-out|0",
        "pack(B,kt) vec(j:8)|small|out-of-memory|0",
        "|huge|ok|0.00375",
        "unroll(j:16)|small|stopped|0.016",
    };
    struct plans plans = {0};
    struct error err = {0};

    check_ok(store_measurement_each(fixture->store, session, take_plan, &plans, &err),
             &err);
    check_eq(plans.nr, ARRAY_SIZE(want));
    for (size_t i = 0; i < plans.nr && i < ARRAY_SIZE(want); i++)
        check_str(plans.texts.v[i], want[i]);
    strvec_release(&plans.texts);
}

static void check_way(const char *golden, enum exchange_format format, const char *name)
{
    struct fixture fixture = fixture_opened();
    char *text = exported(&fixture, store_session(&fixture), format);
    long long back;

    check_golden_file(golden, text);
    back = import_text(&fixture, text, name);
    check_plans(&fixture, back);
    char *again = exported(&fixture, back, format);
    check_str(again, text);
    free(again);
    free(text);
    fixture_drop(&fixture);
}

TEST("sessions come back from T4")
{
    check_way("session_t4.json", EXCHANGE_FORMAT_T4, "s.json.gz");
}

TEST("sessions come back from cache files")
{
    check_way("session_cache.json", EXCHANGE_FORMAT_KERNEL_TUNER, "s.json");
}

/* Other programs may keep the parameters only. */
TEST("plans come back from parameters alone")
{
    struct fixture fixture = fixture_opened();
    char *text =
        exported(&fixture, store_session(&fixture), EXCHANGE_FORMAT_KERNEL_TUNER);
    struct error err = {0};
    json_t *root = NULL, *entry;
    const char *key;
    struct plans plans = {0};

    check_ok(json_read_text(text, "t", NULL, &root, &err), &err);
    json_object_foreach(json_object_get(root, "cache"), key, entry) {
        json_object_del(entry, "plan");
        json_object_del(entry, "inflight");
    }
    free(text);
    text = json_dumps(root, 0);
    long long back = import_text(&fixture, text, "s.json");
    check_ok(store_measurement_each(fixture.store, back, take_plan, &plans, &err), &err);
    check_str(plans.texts.v[2], "interchange(j,i) tile(j:32,i:64) simd|small|ok|0.0025");
    check_str(plans.texts.v[5], "prefetch(a:16,to:L2) prefetch(b:8)|small|timed-out|0");
    check_str(plans.texts.v[6], "pack(B,kt) vec(j:8)|small|crashed|0");
    check_str(plans.texts.v[7], "|huge|ok|0.00375");
    strvec_release(&plans.texts);
    json_decref(root);
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

TEST("foreign results are shown and written again")
{
    static const struct {
        const char *file, *golden;
        bool evidence;
    } cases[] = {{"cache.json", "report_cache.txt", false},
                 {"cache.json", "report_cache_all.txt", true},
                 {"t4_hub.json", "report_hub.txt", false},
                 {"t4_score.json", "report_score.txt", false}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct fixture fixture = fixture_opened();
        char *path = path_join(folder, cases[i].file);
        struct buf text = {0}, want = {0};
        struct plans plans = {0};
        struct error err = {0};
        check_ok(file_read(path, &text, &err), &err);
        long long session = import_text(&fixture, buf_str(&text), "f.json");
        char *report = report_of(&fixture, session, cases[i].evidence);
        check_golden_file(cases[i].golden, report);
        check_ok(store_measurement_each(fixture.store, session, take_plan, &plans, &err),
                 &err);
        if (i == 0) {
            char *again = exported(&fixture, session, EXCHANGE_FORMAT_KERNEL_TUNER);
            char *written = path_join(folder, "written_cache.json");
            check_ok(file_read(written, &want, &err), &err);
            check_str(again, buf_str(&want));
            check_str(plans.texts.v[0],
                      "set(block_size_x:16,unroll:1,layout:row,scale:0.5)|small|ok|"
                      "0.0025");
            free(written);
            free(again);
        }
        strvec_release(&plans.texts);
        buf_release(&text);
        buf_release(&want);
        free(report);
        free(path);
        fixture_drop(&fixture);
    }
}

/* A recorded space needs no database. */
TEST("recorded spaces are written")
{
    static const char text[] =
        "{\"schema\": \"inflight.space/1\", \"date\": \"2026-01-31T12:00:00Z\", "
        "\"kernel\": {\"function\": \"blur\", \"file\": \"blur.c\", \"words\": [\"set n "
        "= "
        "100\", \"buffer a = uniform(0, 1)\", \"set m = 50\"]}, \"machine\": {\"name\": "
        "\"SKX\"}, \"measurements\": [%s]}";
    struct fixture fixture = fixture_make();
    char *path = path_join(fixture.folder, "blur.json.gz");
    struct exchange_space space;
    struct error err = {0};
    json_t *measurement = document_of(1);
    char *one = json_dumps(measurement, 0), *all = xasprintf(text, one);

    check_ok(file_write_gz(path, all, strlen(all), &err), &err);
    if (check_ok(space_of_dataset(path, &space, &err), &err)) {
        check_str(space.kernel, "blur");
        check_str(space.device, "SKX");
        check_eq(json_integer_value(json_array_get(space.problem_size, 1)), 50);
        check_eq(space.result_nr, 1);
        check_str(space.result[0].timestamp, "2026-01-31T12:00:00+00:00");
        check_near(space.result[0].time_s, 3e-3, 1e-9);
        check_near(space.result[0].phase_s[EXCHANGE_PHASE_BENCHMARK], 0.5, 1e-9);
        check_str(space.parameter[0].name, "tile_i");
        exchange_space_release(&space);
    }
    free(all);
    all = xasprintf(text, "");
    check_ok(file_write_gz(path, all, strlen(all), &err), &err);
    check_fails(space_of_dataset(path, &space, &err), &err, STATUS_INPUT,
                "measurements: there are no measurements in it");
    json_decref(measurement);
    free(one);
    free(all);
    free(path);
    fixture_drop(&fixture);
}

/* ---- what cannot be exported ---- */

TEST("sessions without results are refused")
{
    struct fixture fixture = fixture_opened();
    struct store_session session;
    struct exchange_space space;
    struct error err = {0};
    long long id = 0;

    check_ok(store_session_new(fixture.store, "k", "measure", "blur", NULL, &id, &err),
             &err);
    check_ok(store_session_get(fixture.store, id, &session, &err), &err);
    check_fails(space_of_session(fixture.store, &session, &space, &err), &err,
                STATUS_INPUT, "session 1 (measure of blur) holds no measurements");
    check_ok(store_measurement_add(fixture.store, id, "n=1",
                                   "{\"schema\": \"inflight.point/1\"}", &err),
             &err);
    check_fails(space_of_session(fixture.store, &session, &space, &err), &err,
                STATUS_INPUT, "the session is a sweep");
    store_session_release(&session);
    fixture_drop(&fixture);
}
