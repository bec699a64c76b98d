/* Running a program with markers, once for each set of events. */
#include <stdlib.h>
#include <string.h>

#include "advisor/metrics/metrics_parts.h"
#include "advisor/metrics/metrics_regions.h"

/* The runs as they end. */
struct session {
    const struct settings *settings;
    struct metrics_measured measured; /* definitions, notes, how it ended */
    struct metrics_plan plan;
    char *base; /* their folders are in it */
    struct strvec folder, name;
    struct region_end *end;
};

static void session_release(struct session *session)
{
    metrics_measured_release(&session->measured);
    metrics_plan_done(&session->plan);
    strvec_release(&session->folder);
    strvec_release(&session->name);
    free(session->end);
}

/* ---- where ---- */

static bool is_kept(const struct settings *settings)
{
    return strcmp(settings->regions, "--") != 0;
}

static int make_base(struct session *session, struct error *err)
{
    const char *folder = session->settings->regions;
    if (!is_kept(session->settings))
        return scratch_make(&session->base, err);
    if (dir_exists(folder) || file_exists(folder))
        return fail(err, STATUS_INPUT,
                    "'%s' is there already: what runs leave needs a folder of its own; "
                    "without '-- PROGRAM' it is read",
                    folder);
    session->base = xstrdup(folder);
    return dir_make_all(folder, err);
}

static void drop_base(struct session *session)
{
    if (session->base && !is_kept(session->settings))
        scratch_remove(session->base);
    else
        free(session->base);
}

/* ---- one run ---- */

static char *events_of(const struct session *session, size_t run)
{
    struct strvec counted = {0};
    if (session->plan.plan.run_nr)
        metrics_counted_inside(metrics_run(&session->plan, run), &counted);
    char *text = strvec_join(&counted, ",");
    strvec_release(&counted);
    return text;
}

static int start(const struct session *session, size_t run, struct spawn_child **child,
                 struct error *err)
{
    char *events = events_of(session, run);
    char *where = xasprintf("INFLIGHT_REGIONS=%s", session->folder.v[run]);
    char *what = xasprintf("INFLIGHT_REGIONS_EVENTS=%s", events);
    const char *const env[] = {where, what, NULL};
    struct spawn_request request = {.argv =
                                        (const char *const *)session->settings->program.v,
                                    .env_extra = env,
                                    .attached = true,
                                    .out_to_err = session->settings->json};
    int status = spawn_start(&request, child, err);
    free(events);
    free(where);
    free(what);
    return status;
}

static int run_once(struct session *session, size_t run, struct error *err)
{
    struct spawn_child *child = NULL;
    struct spawn_outcome outcome = {0};
    strvec_pushf(&session->folder, "%s/%zu", session->base, run + 1);
    strvec_pushf(&session->name, "run %zu", run + 1);
    if (dir_make_all(session->folder.v[run], err) || start(session, run, &child, err))
        return -1;
    session->end[run].pid = spawn_pid(child);
    int status = spawn_wait_all(&child, 1, false, &outcome, err);
    session->end[run].clock_s = clock_s();
    if (!status && outcome.end == SPAWN_NOT_STARTED)
        status = fail(err, STATUS_INPUT, "cannot start '%s': %s",
                      session->settings->program.v[0], strerror(outcome.code));
    if (!status)
        session->measured.ended = metrics_end_text(&outcome);
    spawn_outcome_release(&outcome);
    return status;
}

/* ---- all of them ---- */

static int check_runs(const struct session *session, struct error *err)
{
    const struct settings *settings = session->settings;
    size_t sets = session->plan.plan.run_nr;
    if (settings->runs > 0 && (size_t)settings->runs < sets)
        return fail(err, STATUS_USAGE,
                    "--runs %lld is too few: %zu sets of events do not fit into the "
                    "counters together, and in regions they do not take turns; --model "
                    "NAME asks for fewer",
                    settings->runs, sets);
    return 0;
}

static int run_all(struct session *session, size_t runs, struct error *err)
{
    session->end = xcalloc(runs, sizeof(*session->end));
    metrics_announce(session->settings, runs);
    for (size_t i = 0; i < runs && !session->measured.ended; i++)
        if (run_once(session, i, err))
            return -1;
    if (session->folder.nr < runs)
        strvec_pushf(&session->measured.note,
                     "it ran %zu time%s of %zu: what the others would have counted is "
                     "not known",
                     session->folder.nr, session->folder.nr == 1 ? "" : "s", runs);
    return 0;
}

static int show_regions(struct session *session, struct metrics_report *report,
                        struct error *err)
{
    char *program = strvec_join(&session->settings->program, " ");
    struct metrics_regions from = {.origin = program,
                                   .folder = &session->folder,
                                   .name = &session->name,
                                   .end = session->end,
                                   .here = true};
    struct error why = {0};
    int status = metrics_add_regions(report, &from, &session->measured.note, &why);
    report->ended = session->measured.ended;
    if (status && report->ended)
        fail(err, why.status, "'%s' %s, and %s", session->settings->program.v[0],
             report->ended, why.text);
    else if (status)
        fail(err, why.status, "%s", why.text);
    session->measured.ended = NULL;
    free(program);
    return status;
}

int metrics_run_regions(struct metrics_report *report, struct error *err)
{
    const struct settings *settings = report->settings;
    const struct metrics_request request = metrics_request_of(settings);
    struct session session = {.settings = settings, .plan = {.of_regions = true}};
    spawn_catch_interrupt();
    int status = metrics_prepare(&request, NULL, &session.measured, &session.plan, err);
    if (!status)
        status = check_runs(&session, err);
    if (!status)
        status = make_base(&session, err);
    size_t runs = session.plan.plan.run_nr ? metrics_runs(&request, &session.plan) : 1;
    if (!status)
        status = run_all(&session, runs, err);
    if (!status)
        status = show_regions(&session, report, err);
    drop_base(&session);
    session_release(&session);
    return status;
}
