/* inflight metrics: counts in, metrics of the CPU out. */
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "advisor/metrics/metrics_columns.h"
#include "advisor/metrics/metrics_measure.h"
#include "advisor/metrics/metrics_show.h"
#include "advisor/program/commands.h"
#include "core/base.h"
#include "core/traffic/traffic.h"

/* ---- what is asked ---- */

static int check_sources(const struct settings *settings, struct error *err)
{
    bool program = settings->program.nr > 0, regions = settings->regions != NULL;
    int sources =
        (settings->file != NULL) + (settings->counts.nr > 0) + (program || regions);
    if (settings->list && sources)
        return fail(err, STATUS_USAGE,
                    "--list says what is defined: no file, program or --counts with it");
    if (!settings->list && sources != 1)
        return fail(err, STATUS_USAGE,
                    "metrics takes one of: a C file, a program after '--', --counts "
                    "FILE, or --regions FOLDER; or --list; try 'inflight metrics "
                    "--help'");
    if (regions && !program && !strcmp(settings->regions, "--"))
        return fail(err, STATUS_USAGE,
                    "--regions -- is followed by the program whose regions are counted");
    return 0;
}

struct written {
    bool given;
    const char *name;
};

static int check_list(const struct settings *settings, struct error *err)
{
    const struct written written[] = {
        {settings->save != NULL, "--save"},     {settings->html != NULL, "--html"},
        {settings->evidence, "--evidence"},     {settings->machine != NULL, "--machine"},
        {settings->memory != NULL, "--memory"}, {settings->cores > 0, "--cores"},
        {settings->runs >= 0, "--runs"}};
    for (size_t i = 0; i < ARRAY_SIZE(written); i++)
        if (written[i].given)
            return fail(err, STATUS_USAGE, "%s does not go with --list", written[i].name);
    if (settings->model && !settings->cpu)
        return fail(err, STATUS_USAGE,
                    "--model says what to show of one file: name it with --cpu");
    return 0;
}

/* What describes a kernel says nothing of a program or of counts. */
static int check_kernel(const struct settings *settings, struct error *err)
{
    const struct written written[] = {
        {settings->function != NULL, "--function"},
        {settings->words.nr > 0, "--set, --buffer, --assume, --tunable or --constraint"},
        {settings->inputs != NULL, "--inputs"},
        {settings->compile_commands != NULL, "--compile-commands"},
        {settings->flags.nr > 0, "--flags"},
        {settings->cflags.nr > 0, "--include"}};
    for (size_t i = 0; !settings->file && i < ARRAY_SIZE(written); i++)
        if (written[i].given)
            return fail(err, STATUS_USAGE, "%s describes a kernel: name its C file",
                        written[i].name);
    return 0;
}

static int check_counts(const struct settings *settings, struct error *err)
{
    bool counted = settings->counts.nr || (settings->regions && !settings->program.nr);
    if (!settings->counts.nr && settings->seconds_s >= 0)
        return fail(err, STATUS_USAGE,
                    "--seconds gives the time that --counts FILE covers");
    if (counted && settings->runs >= 0)
        return fail(err, STATUS_USAGE,
                    "--runs is how often something is run; what --%s names was "
                    "counted already",
                    settings->counts.nr ? "counts" : "regions");
    if (settings->counts.nr && settings->memory && !settings->machine)
        return fail(err, STATUS_USAGE,
                    "--memory names a memory of a profile: name that with --machine");
    return 0;
}

static int too_many_to_save(size_t nr, struct error *err)
{
    return fail(err, STATUS_USAGE,
                "--save keeps the counts of one column; --json keeps all of %zu", nr);
}

static int check_written(const struct settings *settings, struct error *err)
{
    if (settings->save && settings->counts.nr > 1)
        return too_many_to_save(settings->counts.nr, err);
    return 0;
}

static int check(const struct settings *settings, struct error *err)
{
    return check_sources(settings, err) ||
                   (settings->list && check_list(settings, err)) ||
                   check_kernel(settings, err) || check_counts(settings, err) ||
                   check_written(settings, err)
               ? -1
               : 0;
}

/* ---- columns ---- */

static void take_measured(struct metrics_column *column, struct metrics_measured *from)
{
    column->set = from->set;
    column->run = from->run;
    column->run_nr = from->run_nr;
    strvec_push_all(&column->note, &from->note);
    for (size_t i = 0; i < from->given_nr; i++)
        metrics_give(column, from->given[i].name, from->given[i].value);
    from->set = NULL;
    from->run = NULL;
    from->run_nr = 0;
}

static char *origin_of(const struct settings *settings)
{
    struct buf words = {0};
    if (settings->file)
        return xstrdup(settings->file);
    buf_add_shell_words(&words, (const char *const *)settings->program.v);
    return buf_detach(&words);
}

static int add_measured(struct metrics_report *report, struct error *err)
{
    const struct settings *settings = report->settings;
    const struct metrics_request request = metrics_request_of(settings);
    struct metrics_measured measured = {0};
    struct metrics_column column = {0};
    int status = settings->file ? metrics_of_kernel(&request, &measured, err)
                                : metrics_of_program(&request, &measured, err);
    if (!status) {
        column.origin = origin_of(settings);
        column.label =
            xstrdup(path_base(settings->file ? settings->file : settings->program.v[0]));
        report->ended = measured.ended;
        measured.ended = NULL;
        take_measured(&column, &measured);
        if (spawn_interrupted())
            strvec_push(&column.note,
                        "interrupted: the metrics cover what had been done until then");
        status = metrics_add_column(report, &column, true, err);
    }
    metrics_measured_release(&measured);
    return status;
}

static int check_models(const struct metrics_report *report, struct error *err)
{
    struct error why = {0};
    size_t without = 0;
    for (size_t i = 0; i < report->nr; i++)
        if (metrics_check_model(report->column[i].set, report->settings->model,
                                without ? NULL : &why))
            without++;
    return without < report->nr ? 0 : fail(err, why.status, "%s", why.text);
}

/* ---- results ---- */

static int print(const struct metrics_report *report, struct error *err)
{
    const struct settings *settings = report->settings;
    struct buf text = {0};
    struct layout layout =
        layout_on(&text, term_colour(stdout, settings->colour), term_columns(stdout));
    int status;
    if (settings->json) {
        json_t *document = metrics_json(report);
        status = print_json(document, err);
        json_decref(document);
    } else {
        metrics_text(report, &layout);
        status = print_text(buf_str(&text), err);
    }
    buf_release(&text);
    return status;
}

static int save(const struct metrics_report *report, struct error *err)
{
    if (report->nr > 1)
        return too_many_to_save(report->nr, err);
    json_t *document = count_set_to_json(&report->column[0].counts);
    int status = json_write_file(report->settings->save, document, err);
    json_decref(document);
    return status;
}

static bool knows_anything(const struct metrics_report *report)
{
    for (size_t i = 0; i < report->nr; i++)
        for (size_t k = 0; k < report->column[i].set->metric_nr; k++)
            if (report->column[i].set->metric[k].model != METRIC_NONE &&
                report->column[i].result.value[k].value.known)
                return true;
    return false;
}

static int show(const struct metrics_report *report, struct error *err)
{
    const struct settings *settings = report->settings;
    if (check_models(report, err) || (settings->save && save(report, err)))
        return -1;
    if ((settings->html && metrics_html_write(report, settings->html, err)) ||
        print(report, err))
        return -1;
    if (!knows_anything(report))
        return fail(
            err, STATUS_MISSING,
            "no metric of '%s' can be computed from these counts; the reasons "
            "stand above, and 'inflight metrics --list --cpu %s' names its events",
            report->column[0].set->name, report->column[0].set->name);
    return report->ended && !spawn_interrupted()
               ? fail(err, STATUS_FAILED,
                      "'%s' %s; the metrics cover what it did until then",
                      settings->program.nr ? settings->program.v[0] : settings->file,
                      report->ended)
               : 0;
}

static int make_columns(struct metrics_report *report, struct error *err)
{
    const struct settings *settings = report->settings;
    if (settings->counts.nr)
        return metrics_read_columns(report, err);
    if (!settings->regions)
        return add_measured(report, err);
    return settings->program.nr ? metrics_run_regions(report, err)
                                : metrics_read_regions(report, err);
}

int metrics_command(const struct settings *settings, struct error *err)
{
    struct metrics_report report = {.settings = settings};
    if (check(settings, err))
        return -1;
    if (settings->list)
        return metrics_list(settings, err);
    int status = make_columns(&report, err);
    if (!status)
        status = show(&report, err);
    metrics_report_release(&report);
    return status;
}
