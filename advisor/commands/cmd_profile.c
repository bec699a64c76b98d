/* inflight profile: a whole program as its user starts it, by its marked regions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "advisor/program/commands.h"
#include "core/base/error.h"
#include "observe/report/regions_report.h"

/* ---- running it ---- */

/* What of how it ended is worth saying; NULL = exit 0. Caller frees. */
static char *end_text(const struct spawn_outcome *outcome)
{
    if (outcome->end == SPAWN_INTERRUPTED)
        return xstrdup("was interrupted");
    return spawn_end_phrase(outcome->end, outcome->code);
}

static int not_started(const struct settings *settings,
                       const struct spawn_outcome *outcome, struct error *err)
{
    return fail(err, STATUS_INPUT, "cannot start '%s': %s", settings->program.v[0],
                strerror(outcome->code));
}

/* The environment goes to every process that it starts. */
static int start(const struct settings *settings, const char *folder,
                 struct spawn_child **child, struct error *err)
{
    char *events = regions_events(settings);
    char *where = xasprintf("INFLIGHT_REGIONS=%s", folder);
    char *what = xasprintf("INFLIGHT_REGIONS_EVENTS=%s", events);
    const char *const env[] = {where, what, NULL};
    struct spawn_request request = {.argv = (const char *const *)settings->program.v,
                                    .env_extra = env,
                                    .attached = true,
                                    .out_to_err = settings->json};
    int status = spawn_start(&request, child, err);
    free(events);
    free(where);
    free(what);
    return status;
}

static int run_program(const char *folder, struct regions_report *report,
                       struct region_end *end, struct error *err)
{
    const struct settings *settings = report->settings;
    struct spawn_child *child = NULL;
    struct spawn_outcome outcome = {0};
    if (start(settings, folder, &child, err))
        return -1;
    end->pid = spawn_pid(child);
    int status = spawn_wait_all(&child, 1, false, &outcome, err);
    end->clock_s = clock_s();
    if (!status && outcome.end == SPAWN_NOT_STARTED)
        status = not_started(settings, &outcome, err);
    report->wall_s = outcome.wall_s;
    report->ended = status ? NULL : end_text(&outcome);
    report->program = strvec_join(&settings->program, " ");
    spawn_outcome_release(&outcome);
    return status;
}

/* ---- the report ---- */

static int print(const struct regions_report *report, struct error *err)
{
    struct buf text = {0};
    if (report->settings->json) {
        json_t *document = regions_json(report);
        int status = print_json(document, err);
        json_decref(document);
        return status;
    }
    regions_text(report, &text);
    int status = print_text(buf_str(&text), err);
    buf_release(&text);
    return status;
}

static int explain(const char *folder, const struct region_end *end,
                   struct regions_report *report, struct error *err)
{
    if (region_profile_read(folder, end, &report->profile, err))
        return -1;
    if (!report->program)
        report->wall_s = report->profile.wall_s;
    if (regions_answers(report, err))
        return -1;
    regions_notes(report);
    return print(report, err);
}

static int run_and_explain(struct regions_report *report, struct error *err)
{
    struct region_end end = {0};
    char *folder = NULL;
    spawn_catch_interrupt();
    if (scratch_make(&folder, err))
        return -1;
    int status = run_program(folder, report, &end, err);
    if (!status)
        status = explain(folder, &end, report, err);
    if (!status && report->ended && !spawn_interrupted())
        status =
            fail(err, STATUS_FAILED, "'%s' %s; the report covers what it did until then",
                 report->settings->program.v[0], report->ended);
    scratch_remove(folder);
    return status;
}

static int check(const struct settings *settings, struct error *err)
{
    if (!settings->program.nr == !settings->regions)
        return fail(err, STATUS_USAGE,
                    "profile takes either a program, as in 'inflight profile -- ./app', "
                    "or --regions FOLDER");
    if (settings->regions && settings->events)
        return fail(err, STATUS_USAGE,
                    "--events says what is counted while the program runs; what lies in "
                    "'%s' was counted already",
                    settings->regions);
    return regions_check(settings, err);
}

int profile_command(const struct settings *settings, struct error *err)
{
    struct regions_report report = {.settings = settings};
    if (settings->timeline_s >= 0 || settings->list)
        return profile_timeline(settings, err);
    if (check(settings, err))
        return -1;
    int status = settings->regions ? explain(settings->regions, NULL, &report, err)
                                   : run_and_explain(&report, err);
    regions_report_release(&report);
    return status;
}
