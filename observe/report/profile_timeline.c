/* inflight profile --timeline TIME: an application over time. */
#include <stdio.h>
#include <string.h>

#include "advisor/cli/output.h"
#include "advisor/cli/profiles.h"
#include "advisor/program/commands.h"
#include "observe/report/timeline_show.h"

static const double interval_least_s = 1e-3, interval_most_s = 3600;

static int list_events(const struct settings *settings, struct error *err)
{
    struct timeline_offers offers;
    int status = timeline_offers_find(NULL, &offers, err);
    if (!status) {
        timeline_offers_add_papi(&offers);
        if (settings->json) {
            json_t *document = timeline_offers_json(&offers);
            status = print_json(document, err);
            json_decref(document);
        } else {
            struct buf text = {0};
            timeline_offers_text(&offers, &text);
            status = print_text(buf_str(&text), err);
            buf_release(&text);
        }
    }
    timeline_offers_release(&offers);
    return status;
}

static bool is_stdout(const char *path)
{
    return path && !strcmp(path, "-");
}

static int check_settings(const struct settings *settings, struct error *err)
{
    if (settings->regions)
        return fail(err, STATUS_USAGE,
                    "--regions shows marked regions, not a program over time; leave "
                    "--timeline out");
    if (settings->from && settings->program.nr)
        return fail(err, STATUS_USAGE,
                    "--from shows a time line that exists; a program is not run then");
    if (!settings->from && !settings->program.nr)
        return fail(err, STATUS_USAGE,
                    "profile --timeline takes a program: inflight profile --timeline "
                    "10ms -- PROGRAM [arguments]");
    if (!settings->from && (settings->timeline_s < interval_least_s ||
                            settings->timeline_s > interval_most_s))
        return fail(err, STATUS_USAGE, "--timeline: the interval must be 1ms to 1h");
    if (settings->json + is_stdout(settings->plot) + is_stdout(settings->csv) > 1)
        return fail(err, STATUS_USAGE,
                    "only one of --json, --csv - and --plot - can go to standard output; "
                    "give the others files");
    if (settings->csv && !is_stdout(settings->csv) &&
        file_check_writable(settings->csv, err))
        return -1;
    return settings->plot ? plot_check(settings->plot, err) : 0;
}

/* Without a profile, one sentence; with one that was asked for, a failure. */
static int add_occupancy(const struct settings *settings, struct timeline *timeline,
                         struct error *err)
{
    struct machine machine = {0};
    struct error why = {0};
    int status = 0;
    if (!timeline_find(timeline, "memory:::read") ||
        timeline_find(timeline, "occupancy:::in_flight"))
        return 0;
    if (!profile_load(settings->machine ? settings->machine : "here", settings->memory,
                      &machine, &why))
        timeline_add_occupancy(timeline, &machine);
    else if (settings->machine)
        status = fail(err, why.status, "%s", why.text);
    else
        strvec_pushf(&timeline->note, "misses in flight are not shown: %s", why.text);
    machine_release(&machine);
    return status;
}

static int draw(const struct settings *settings, const struct timeline *timeline,
                const struct timeline_phases *phases, struct error *err)
{
    enum plot_kind kind;
    struct buf script = {0};
    int status = plot_kind_of(settings->plot, &kind, err);
    if (!status)
        status = timeline_plot_script(timeline, phases, kind, &script, err);
    if (!status)
        status = plot_picture(&script, settings->plot, err);
    buf_release(&script);
    return status;
}

static int print(const struct settings *settings, const struct timeline *timeline,
                 const struct timeline_phases *phases, struct error *err)
{
    int status;
    if (settings->json) {
        json_t *document = timeline_json(timeline, phases);
        status = print_json(document, err);
        json_decref(document);
        return status;
    }
    struct buf text = {0};
    if (is_stdout(settings->csv))
        timeline_csv_text(timeline, &text);
    else
        timeline_text(timeline, phases, term_utf8(), &text);
    status = print_text(buf_str(&text), err);
    buf_release(&text);
    return status;
}

static int report(const struct settings *settings, struct timeline *timeline,
                  struct error *err)
{
    struct timeline_phases phases;
    int status = add_occupancy(settings, timeline, err);
    if (status)
        return -1;
    timeline_find_phases(timeline, &phases);
    status = print(settings, timeline, &phases, err);
    if (!status && settings->csv && !is_stdout(settings->csv))
        status = timeline_csv_write(timeline, settings->csv, err);
    if (!status && settings->plot)
        status = draw(settings, timeline, &phases, err);
    timeline_phases_release(&phases);
    return status;
}

static bool wants_default(const char *events)
{
    return !events || !strcmp(events, "auto");
}

static int run(const struct settings *settings, struct timeline *timeline,
               struct spawn_outcome *outcome, struct error *err)
{
    struct timeline_run_opts opts = {
        .argv = (const char *const *)settings->program.v,
        .interval_s = settings->timeline_s,
        .events = wants_default(settings->events) ? NULL : settings->events,
        .out_to_err = settings->json || is_stdout(settings->csv)};
    spawn_catch_interrupt();
    return timeline_run(&opts, timeline, outcome, err);
}

/* What the program did until it failed has been reported. */
static int judge(const struct timeline *timeline, const struct spawn_outcome *outcome,
                 struct error *err)
{
    bool failed = outcome->end == SPAWN_SIGNALLED ||
                  (outcome->end == SPAWN_EXITED && outcome->code != 0);
    return failed ? fail(err, STATUS_FAILED,
                         "the program failed (%s); the time line is what it did until "
                         "then",
                         timeline->end)
                  : 0;
}

int profile_timeline(const struct settings *settings, struct error *err)
{
    struct timeline timeline = {0};
    struct spawn_outcome outcome = {0};
    int status;
    if (settings->list)
        return list_events(settings, err);
    if (check_settings(settings, err))
        return -1;
    status = settings->from ? timeline_csv_read(settings->from, &timeline, err)
                            : run(settings, &timeline, &outcome, err);
    if (!status)
        status = report(settings, &timeline, err);
    if (!status && !settings->from)
        status = judge(&timeline, &outcome, err);
    spawn_outcome_release(&outcome);
    timeline_release(&timeline);
    return status;
}
