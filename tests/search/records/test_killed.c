/*
 * Sessions that are killed at any moment and go on: the same end as without. A process
 * searches a scripted space whose figures depend only on what is asked and how often it
 * was answered before; every answer goes to a database as in
 * advisor/session/context_session.c.
 */
#define _DEFAULT_SOURCE /* usleep, ualarm */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/files/hash.h"
#include "core/store/store_parts.h"
#include "search/records/records.h"
#include "search/session/measured.h"
#include "tests/search/scripted_space.h"

SUITE(search_killed);

struct run {
    const char *path, *key;
    struct store *store;
    long long session;
    struct space space;
    struct search_runner inner; /* of the space */
    struct recorded *recorded;
    useconds_t pause_us; /* in each answer, so that a kill finds it */
    struct error err;
};

/* ---- a runner whose answers do not depend on order ---- */

struct counting {
    const char *variant, *other;
    size_t nr;
};

static int count_answer(void *data, const struct store_answer *answer)
{
    struct counting *counting = data;

    counting->nr += !strcmp(answer->variant, counting->variant) &&
                    (!answer->other || !strcmp(answer->other, counting->other));
    return 0;
}

/* The generator's state follows from the question and from how often it was answered. */
static void seed_for(struct run *run, const char *variant, const char *other)
{
    struct counting counting = {variant, other, 0};
    struct hash hash = hash_begin();

    store_session_answers(run->store, run->session,
                          other ? STORE_COMPARISON : STORE_MEASUREMENT, count_answer,
                          &counting, NULL);
    hash_text(&hash, variant);
    hash_text(&hash, other ? other : "");
    hash_add(&hash, &counting.nr, sizeof(counting.nr));
    run->space.random = hash.word[0] | 1;
}

static int slow_measure(void *data, const struct candidate *candidate,
                        enum measure_effort effort, double stop_at_s,
                        struct measurement *out, struct error *err)
{
    struct run *run = data;
    char *variant = candidate_text(candidate);

    seed_for(run, variant, NULL);
    free(variant);
    usleep(run->pause_us);
    return run->inner.measure(run->inner.data, candidate, effort, stop_at_s, out, err);
}

static int slow_compare(void *data, const struct candidate *a, const struct candidate *b,
                        double seconds, struct quantity *ratio, struct error *err)
{
    struct run *run = data;
    char *left = candidate_text(a), *right = candidate_text(b);

    seed_for(run, left, right);
    free(left);
    free(right);
    usleep(run->pause_us);
    return run->inner.compare(run->inner.data, a, b, seconds, ratio, err);
}

/* ---- keeping ---- */

static int keep(struct run *run, enum store_kind kind, const struct candidate *a,
                const struct candidate *b, json_t *document, struct error *err)
{
    char *variant = candidate_text(a), *other = b ? candidate_text(b) : NULL,
         *text = json_text(document);
    struct store_answer answer = {
        .kind = kind, .variant = variant, .other = other, .json = text};
    int result = store_answer_add(run->store, run->session, &answer, err);

    free(variant);
    free(other);
    free(text);
    json_decref(document);
    return result;
}

static int measured(void *data, const struct measurement *measurement, struct error *err)
{
    struct candidate candidate = {measurement->plan, measurement->environment};

    if (measurement->replayed)
        return 0;
    return keep(data, STORE_MEASUREMENT, &candidate, NULL,
                measurement_to_json(measurement), err);
}

static int compared(void *data, const struct compared *given, struct error *err)
{
    const struct run *run = data;
    const struct compared *last = recorded_last(run->recorded);

    if (last->replayed)
        return 0;
    return keep(data, STORE_COMPARISON, &given->a, &given->b, comparison_to_json(last),
                err);
}

static int load(void *data, const struct store_answer *answer)
{
    struct run *run = data;
    struct recorded_source own = {0};
    json_t *document = NULL;

    if (json_read_text(answer->json, "record", NULL, &document, NULL) == 0)
        recorded_add_from(run->recorded, document, &own, NULL);
    json_decref(document);
    return 0;
}

/* ---- one process ---- */

static int open_session(struct run *run)
{
    struct error *err = &run->err;

    if (store_open(run->path, &run->store, err) ||
        store_session_unfinished(run->store, run->key, &run->session, err))
        return -1;
    if (run->session)
        return 0;
    return store_session_new(run->store, run->key, "tune", "t", NULL, &run->session, err);
}

static json_t *report_of(const struct search_result *result)
{
    json_t *advice = json_array();

    for (size_t i = 0; i < result->advice_nr; i++)
        json_array_append_new(
            advice, json_pack("{s:s, s:s, s:o}", "transformation",
                              result->advice[i].transformation, "verdict",
                              verdict_word(result->advice[i].verdict), "gain",
                              json_quantity(result->advice[i].measured_speedup)));
    return json_pack("{s:s, s:I, s:o, s:o}", "best",
                     result->measurement[result->best].plan, "variants",
                     (json_int_t)result->measurement_nr, "gain",
                     json_quantity(result->source_gain), "advice", advice);
}

static int search_and_finish(struct run *run)
{
    struct search_runner runner = recorded_runner(run->recorded);
    struct search_observer observer = {
        .data = run, .measured = measured, .compared = compared};
    struct search_opts opts = {.rules = space_rules(),
                               .budget_variants = 60,
                               .skipped_s = recorded_skipped_s(run->recorded)};
    struct search_result result = {0};
    int failed =
        search_run(&run->space.subject, &runner, &observer, &opts, &result, &run->err);

    if (!failed) {
        json_t *report = report_of(&result);
        char *text = json_text(report);

        usleep(run->pause_us);
        failed = store_session_finish(run->store, run->session, text, &run->err);
        free(text);
        json_decref(report);
    }
    search_result_release(&result);
    rule_set_free((struct rule_set *)(uintptr_t)opts.rules);
    return failed;
}

/* Exit status of a process that searches to the end. */
static int search_once(const char *path, const char *key, useconds_t pause_us)
{
    struct run run = {.path = path, .key = key, .pause_us = pause_us};
    struct search_runner slow = {
        .data = &run, .measure = slow_measure, .compare = slow_compare};
    int failed = -1;

    space_transpose(&run.space.kernel, 2000);
    space_init(&run.space, NULL);
    run.space.time_s = space_valley;
    run.space.noise = 0.03; /* enough for measurements to be repeated */
    run.inner = run.space.runner;
    run.recorded = recorded_new(&slow, &run.space.subject, 2);
    if (open_session(&run) == 0 &&
        store_session_answers(run.store, run.session, STORE_MEASUREMENT, load, &run,
                              &run.err) == 0 &&
        store_session_answers(run.store, run.session, STORE_COMPARISON, load, &run,
                              &run.err) == 0)
        failed = search_and_finish(&run);
    if (failed)
        fprintf(stderr, "search: %s\n", run.err.text);
    recorded_free(run.recorded);
    space_release(&run.space);
    store_close(run.store);
    return failed ? 1 : 0;
}

static pid_t search_apart(const char *path, const char *key, useconds_t pause_us,
                          useconds_t end_us)
{
    pid_t pid = fork();

    if (pid == 0) {
        /* Killed by its own clock: by another process, on a busy machine, too late. */
        ualarm(end_us, 0);
        _exit(search_once(path, key, pause_us));
    }
    return pid;
}

static bool ended_well(pid_t pid)
{
    int status = 0;

    waitpid(pid, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ---- what is there afterwards ---- */

static int list_answer(void *data, const struct store_answer *answer)
{
    json_t *document = NULL;
    char *text;

    check_ok(json_read_text(answer->json, "answer", NULL, &document, NULL), NULL);
    json_object_del(document, "cost_s");
    text = json_text(document);
    buf_addf(data, "%s|%s|%s\n", answer->variant, answer->other ? answer->other : "",
             text);
    free(text);
    json_decref(document);
    return 0;
}

/* Everything that the session holds, times of ours left out, and its report. */
static char *session_text(const char *path, long long session)
{
    struct store *store = NULL;
    struct store_session got = {0};
    struct buf out = {0};
    struct error err = {0};

    if (check_ok(store_open(path, &store, &err), &err)) {
        check_ok(store_session_answers(store, session, STORE_MEASUREMENT, list_answer,
                                       &out, &err),
                 &err);
        check_ok(store_session_answers(store, session, STORE_COMPARISON, list_answer,
                                       &out, &err),
                 &err);
        check_ok(store_session_get(store, session, &got, &err), &err);
        buf_add(&out, got.report_json ? got.report_json : "unfinished");
        store_session_release(&got);
    }
    store_close(store);
    return buf_detach(&out);
}

/* Of each answer: whatever the disk does, a search takes longer than most moments. */
static const useconds_t pause_us = 3000;

/* Kills up to `kills` times at moments between 0 and `span_us`, then lets it end. */
static int kill_and_go_on(const char *path, const char *key, int kills, unsigned span_us,
                          uint64_t *random)
{
    int killed = 0;

    for (int i = 0; i < kills; i++) {
        int status = 0;

        *random = *random * 6364136223846793005u + 1442695040888963407u;
        waitpid(
            search_apart(path, key, pause_us, 1 + (useconds_t)(*random >> 33) % span_us),
            &status, 0);
        if (WIFEXITED(status)) /* it was done */
            return killed;
        check_eq(WTERMSIG(status), SIGALRM);
        killed++;
    }
    check(ended_well(search_apart(path, key, 0, 0)));
    return killed;
}

TEST("killed sessions end as others do")
{
    char *folder = NULL, *path, *want;
    struct error err = {0};
    uint64_t random = 20261122;
    int killed = 0;

    if (!check_ok(scratch_make(&folder, &err), &err))
        return;
    path = path_join(folder, "sessions.db");
    check(ended_well(search_apart(path, "whole", 0, 0)));
    want = session_text(path, 1);
    check_contains(want, "\"best\": \"tile(i:32,j:32)");
    for (long long session = 2; session <= 9; session++) {
        char *key = xasprintf("killed %lld", session), *got;

        killed += kill_and_go_on(path, key, 4, 60000, &random);
        got = session_text(path, session);
        check_str(got, want);
        free(got);
        free(key);
    }
    check(killed >= 8);
    free(want);
    free(path);
    scratch_remove(folder);
}

/* As if its process had been killed while it wrote the report. */
static void take_report_away(const char *path)
{
    sqlite3 *db = NULL;

    check_eq(sqlite3_open(path, &db), SQLITE_OK);
    check_eq(sqlite3_exec(db, "UPDATE session SET finished = NULL, report = NULL", NULL,
                          NULL, NULL),
             SQLITE_OK);
    check_eq(sqlite3_changes(db), 1);
    sqlite3_close(db);
}

/* What a session holds says how it ends: asked once more, nothing is measured. */
TEST("the records tell the end")
{
    char *folder = NULL, *path, *want, *got;
    struct error err = {0};

    if (!check_ok(scratch_make(&folder, &err), &err))
        return;
    path = path_join(folder, "sessions.db");
    check(ended_well(search_apart(path, "k", 0, 0)));
    want = session_text(path, 1);
    take_report_away(path);
    check(ended_well(search_apart(path, "k", 0, 0)));
    got = session_text(path, 1);
    check_str(got, want);
    free(want);
    free(got);
    free(path);
    scratch_remove(folder);
}

/* The budget goes on where it was: what is left of it is spent, not all of it again. */
TEST("time that was spent counts")
{
    struct space space = {0};
    struct search_result result = {0};
    struct error err = {0};
    double spent_s = 0;
    struct search_opts opts = {.rules = space_rules(),
                               .budget_s = 50,
                               .budget_variants = 60,
                               .skipped_s = &spent_s};

    space_transpose(&space.kernel, 2000);
    space_init(&space, NULL);
    space.time_s = space_valley;
    check_ok(search_run(&space.subject, &space.runner, NULL, &opts, &result, &err), &err);
    check(result.measurement_nr > 5);
    check(result.seconds < 40);
    search_result_release(&result);
    spent_s = 0;
    /* as if all were spent while the kernel as written was measured */
    struct recorded *recorded = recorded_new(&space.runner, &space.subject, 2);
    struct search_runner runner = recorded_runner(recorded);
    struct measurement baseline = {0};
    struct candidate none = {"", {0}};
    check_ok(space.runner.measure(&space, &none, MEASURE_EXPLAIN, 0, &baseline, &err),
             &err);
    baseline.cost_s = 1000;
    json_t *document = measurement_to_json(&baseline);
    check_ok(recorded_add(recorded, document, &err), &err);
    opts.skipped_s = recorded_skipped_s(recorded);
    check_ok(search_run(&space.subject, &runner, NULL, &opts, &result, &err), &err);
    check(result.seconds >= 1000 && result.seconds < 1040);
    check_near(*recorded_skipped_s(recorded), 1000, 1e-9);
    json_decref(document);
    measurement_release(&baseline);
    search_result_release(&result);
    recorded_free(recorded);
    rule_set_free((struct rule_set *)(uintptr_t)opts.rules);
    space_release(&space);
}
