/* inflight report: an earlier session again, from its stored document. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "advisor/cli/layout.h"
#include "advisor/exchange/exchanged.h"
#include "advisor/program/commands.h"
#include "advisor/report/report.h"
#include "advisor/report/report_verdict.h"
#include "advisor/report/track_show.h"
#include "advisor/session/emitted.h"
#include "advisor/sweep/series.h"
#include "core/base/error.h"
#include "core/store/store.h"

static int list_line(void *data, const struct store_session *session)
{
    buf_addf(data, "%6lld  %.19s  %-7s %-20s %4lld variants  %s\n", session->id,
             session->started, session->command, session->title, session->variants,
             session->finished ? "finished" : "unfinished");
    return 0;
}

static int list_object(void *data, const struct store_session *session)
{
    json_array_append_new(
        data, json_pack("{s:I, s:s, s:s?, s:s, s:s, s:I}", "session",
                        (json_int_t)session->id, "started", session->started, "finished",
                        session->finished, "command", session->command, "title",
                        session->title, "variants", (json_int_t)session->variants));
    return 0;
}

static int list_sessions(const struct settings *settings, struct store *store,
                         struct error *err)
{
    int status;
    if (settings->json) {
        json_t *list = json_array();
        status = store_session_each(store, list_object, list, err);
        json_t *document =
            json_pack("{s:s, s:o}", "schema", "inflight.sessions/1", "sessions", list);
        if (!status)
            status = print_json(document, err);
        json_decref(document);
        return status;
    }
    struct buf text = {0};
    status = store_session_each(store, list_line, &text, err);
    if (!status)
        status =
            print_text(text.length ? buf_str(&text)
                                   : "no session yet; 'inflight tune FILE.c' makes one\n",
                       err);
    buf_release(&text);
    return status;
}

static bool is_document(const json_t *report, const char *schema)
{
    const char *found = json_string_value(json_object_get(report, "schema"));
    return found && !strcmp(found, schema);
}

static bool is_series(const json_t *report)
{
    return is_document(report, "inflight.series/1");
}

static bool is_imported(const json_t *report)
{
    return is_document(report, "inflight.imported/1");
}

int report_faces(const struct settings *settings, const json_t *report, struct error *err)
{
    int status = 0;
    if (settings->html)
        status = report_html_write(report, settings->html, err);
    if (!status && settings->sarif)
        status = report_sarif_write(report, settings->sarif, err);
    if (!status && settings->diagnostics) {
        struct buf lines = {0};
        report_diagnostics(report, &lines);
        fputs(buf_str(&lines), stderr);
        buf_release(&lines);
    }
    return status;
}

static int print_report(const struct settings *settings, const json_t *report,
                        struct error *err)
{
    if (settings->json)
        return print_json(report, err);
    struct buf text = {0};
    int status = 0;
    if (is_imported(report))
        space_text(report, term_colour(stdout, settings->colour), settings->evidence,
                   term_columns(stdout), &text);
    else if (is_series(report)) {
        struct layout layout =
            layout_on(&text, term_colour(stdout, settings->colour), term_columns(stdout));
        series_text(report, &layout);
    } else
        report_text(report, term_colour(stdout, settings->colour), settings->evidence,
                    term_columns(stdout), &text);
    if (!status)
        status = print_text(buf_str(&text), err);
    buf_release(&text);
    return status;
}

static bool has_faces(const struct settings *settings)
{
    return settings->html || settings->sarif || settings->diagnostics;
}

static int show_session(const struct settings *settings, struct store *store,
                        struct error *err)
{
    struct store_session session = {0};
    json_t *report = NULL;
    char *name = NULL;
    int status = store_session_get(store, settings->session > 0 ? settings->session : 0,
                                   &session, err);
    if (!status && !session.report_json)
        status = fail(err, STATUS_INPUT,
                      "session %lld (%s of %s) is unfinished with %lld variants; the "
                      "same %s command continues it",
                      session.id, session.command, session.title, session.variants,
                      session.command);
    if (!status) {
        name = xasprintf("session %lld", session.id);
        status = json_read_text(session.report_json, name, NULL, &report, err);
        if (!status && !is_series(report) && !is_imported(report)) {
            json_decref(report);
            report = NULL;
            status = json_read_text(session.report_json, name, "inflight.report/1",
                                    &report, err);
        }
    }
    if (!status && is_document(report, "inflight.report/1")) {
        if (settings->database)
            json_object_set_new(report, "database", text_json(settings->database));
        report_settle(report);
    }
    if (!status && has_faces(settings) && !is_document(report, "inflight.report/1"))
        status = fail(
            err, STATUS_USAGE,
            "%s is not a search: --html, --sarif and --diagnostics show searches", name);
    if (!status)
        status = report_faces(settings, report, err);
    if (!status && (settings->json || !(settings->html || settings->sarif)))
        status = print_report(settings, report, err);
    json_decref(report);
    free(name);
    store_session_release(&session);
    return status;
}

int report_command(const struct settings *settings, struct error *err)
{
    if (settings->list && has_faces(settings))
        return fail(
            err, STATUS_USAGE,
            "--html, --sarif and --diagnostics show one session, --list names them "
            "all");
    if (settings->forget_record)
        return track_forget_command(settings, err);
    struct store *store = NULL;
    int status = database_open(settings, true, &store, err);
    if (!status)
        status = settings->list ? list_sessions(settings, store, err)
                                : show_session(settings, store, err);
    store_close(store);
    return status;
}
