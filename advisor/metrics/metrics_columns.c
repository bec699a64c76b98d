/* Columns from recorded counts: --counts [LABEL=]FILE[,FILE...]. */
#include "advisor/metrics/metrics_columns.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/metrics/metrics_against.h"
#include "advisor/metrics/metrics_cpu.h"
#include "advisor/metrics/metrics_given.h"
#include "advisor/metrics/metrics_saved.h"
#include "core/base/near.h"

void metrics_column_release(struct metrics_column *column)
{
    free(column->label);
    free(column->origin);
    free(column->little_why);
    metric_set_free(column->set);
    for (size_t i = 0; i < column->run_nr; i++)
        count_set_release(&column->run[i]);
    free(column->run);
    count_set_release(&column->counts);
    metric_result_release(&column->result);
    strvec_release(&column->note);
    machine_release(&column->machine);
    *column = (struct metrics_column){0};
}

void metrics_report_release(struct metrics_report *report)
{
    for (size_t i = 0; i < report->nr; i++)
        metrics_column_release(&report->column[i]);
    free(report->column);
    free(report->ended);
    strvec_release(&report->said);
    metrics_against_release(report);
    *report = (struct metrics_report){0};
}

struct metric_question metrics_question(const struct metrics_column *column)
{
    return (struct metric_question){.set = column->set,
                                    .counts = &column->counts,
                                    .given = column->given,
                                    .given_nr = column->given_nr};
}

struct quantity metrics_value(const struct metrics_column *column, const char *name)
{
    int at = metric_find(column->set, name);
    return at == METRIC_NONE ? quantity_unknown() : column->result.value[at].value;
}

struct quantity metrics_given_value(const struct metrics_column *column, const char *name)
{
    for (size_t i = 0; i < column->given_nr; i++)
        if (!strcmp(column->given[i].name, name))
            return column->given[i].value;
    return quantity_unknown();
}

void metrics_give(struct metrics_column *column, const char *name, struct quantity value)
{
    size_t i = 0;
    while (i < column->given_nr && strcmp(column->given[i].name, name) != 0)
        i++;
    column->given[i] = (struct metric_given){name, value};
    column->given_nr += i == column->given_nr;
}

int metrics_total_of(const struct metric_set *set, int metric)
{
    const char *of = set->metric[metric].of;
    for (size_t i = 0; of && strcmp(of, "parent") != 0 && i < set->metric_nr; i++)
        if (!letters_between(set->metric[i].name, of))
            return (int)i;
    return METRIC_NONE;
}

bool metrics_has_model(const struct metric_set *set, const char *name)
{
    for (size_t i = 0; i < set->model_nr; i++)
        if (!strcmp(set->model[i].name, name))
            return true;
    return false;
}

int metrics_check_model(const struct metric_set *set, const char *name, struct error *err)
{
    size_t least = SIZE_MAX, near = 0;
    struct strvec names = {0};
    if (!name || metrics_has_model(set, name))
        return 0;
    for (size_t i = 0; i < set->model_nr; i++) {
        size_t distance = word_distance(name, set->model[i].name);
        near = distance < least ? i : near;
        least = distance < least ? distance : least;
        strvec_push(&names, set->model[i].name);
    }
    char *all = strvec_join(&names, ", ");
    if (least != SIZE_MAX)
        fail(err, STATUS_USAGE, "'%s' has no model '%s'; did you mean '%s'?", set->name,
             name, set->model[near].name);
    else
        fail(err, STATUS_USAGE, "'%s' has no model '%s'; there are: %s", set->name, name,
             all);
    free(all);
    strvec_release(&names);
    return -1;
}

/* ---- one column more ---- */

static bool has_label(const struct metrics_report *report, const char *label)
{
    for (size_t i = 0; i < report->nr; i++)
        if (!strcmp(report->column[i].label, label))
            return true;
    return false;
}

/* "runs.csv", "runs.csv 2". */
static void make_unique(const struct metrics_report *report,
                        struct metrics_column *column)
{
    char *plain = column->label;
    column->label = xstrdup(plain);
    for (int i = 2; has_label(report, column->label); i++) {
        free(column->label);
        column->label = xasprintf("%s %d", plain, i);
    }
    free(plain);
}

static void note_variation(struct metrics_column *column)
{
    if (column->run_nr > 1 && column->variation > 0)
        strvec_pushf(&column->note,
                     "%zu runs were made one: they differ by %.2g %% at most",
                     column->run_nr, 100 * column->variation);
}

/* Beyond what two measurements of one thing differ by. */
static bool differ(double a, double b)
{
    return fabs(a - b) > 0.05 * fmax(fabs(a), fabs(b));
}

/* One event under two names, or in two modes of the CPU. */
static void note_twice(struct metrics_column *column)
{
    const struct metric_set *set = column->set;
    for (size_t i = 0; i < set->event_nr; i++) {
        const struct event_count *first = NULL;
        for (size_t k = 0; k < column->counts.count_nr; k++) {
            const struct event_count *count = &column->counts.count[k];
            if (!count->value.known ||
                !metric_event_is(set, &set->event[i], count->event))
                continue;
            if (first && differ(first->value.value, count->value.value))
                strvec_pushf(&column->note,
                             "'%s' (%.4g) and '%s' (%.4g) are one event: only the first "
                             "is used",
                             first->event, first->value.value, count->event,
                             count->value.value);
            first = first ? first : count;
        }
    }
}

int metrics_add_column(struct metrics_report *report, struct metrics_column *column,
                       bool machine_here, struct error *err)
{
    int status = metric_runs_combine(column->run, column->run_nr, &column->counts,
                                     &column->variation, err);
    if (!status) {
        make_unique(report, column);
        status = metrics_find_given(report->settings, column, machine_here, err);
    }
    if (status) {
        metrics_column_release(column);
        return -1;
    }
    struct metric_question question = metrics_question(column);
    note_variation(column);
    note_twice(column);
    metric_evaluate(&question, &column->result);
    metrics_find_little(column);
    GROW(report->column, report->nr + 1, report->alloc);
    report->column[report->nr++] = *column;
    *column = (struct metrics_column){0};
    return 0;
}

/* ---- files ---- */

static void take_run(struct metrics_column *column, struct count_set *run)
{
    column->run = xrealloc(column->run, column->run_nr + 1, sizeof(*column->run));
    column->run[column->run_nr++] = *run;
    *run = (struct count_set){0};
}

/* Of a document of ours that has one column. */
static int take_saved(struct metrics_column *column, struct metrics_saved *saved,
                      const char *path, struct error *err)
{
    if (saved->nr != 1)
        return fail(err, STATUS_INPUT,
                    "'%s' holds %zu columns: several runs of one work are made of files "
                    "with one each",
                    path, saved->nr);
    for (size_t i = 0; i < saved->column[0].run_nr; i++)
        take_run(column, &saved->column[0].run[i]);
    return 0;
}

static int read_run(struct metrics_column *column, const char *path, struct error *err)
{
    struct metrics_saved saved = {0};
    struct count_set run = {0};
    bool is_saved = false;
    int status = metrics_saved_read(path, &saved, &is_saved, err);
    if (!status && is_saved)
        status = take_saved(column, &saved, path, err);
    else if (!status)
        status = count_set_read(path, &run, err);
    if (!status && !is_saved)
        take_run(column, &run);
    metrics_saved_release(&saved);
    return status;
}

/* FILE[,FILE...] */
static int read_runs(struct metrics_column *column, const char *files, struct error *err)
{
    const char *all = files;
    int status = 0;
    if (file_exists(files))
        return read_run(column, files, err);
    while (!status) {
        size_t length = strcspn(files, ",");
        char *path = xstrndup(files, length);
        status = *path ? read_run(column, path, err)
                       : fail(err, STATUS_USAGE,
                              "--counts '%s': the name of a file is missing", all);
        free(path);
        files += length;
        if (!*files++)
            break;
    }
    return status;
}

static int finish(struct metrics_report *report, struct metrics_column *column,
                  const char *definition, struct error *err)
{
    bool here = false;
    for (size_t i = 0; report->settings->seconds_s > 0 && i < column->run_nr; i++)
        column->run[i].seconds =
            quantity_exact(report->settings->seconds_s, PROVENANCE_DECLARED);
    if (metrics_choose_set(report, definition, column, &here, err)) {
        metrics_column_release(column);
        return -1;
    }
    return metrics_add_column(report, column, here, err);
}

/* All columns of a document that --json wrote. */
static int add_saved(struct metrics_report *report, struct metrics_saved *saved,
                     const char *label, const char *path, struct error *err)
{
    int status = 0;
    for (size_t i = 0; !status && i < saved->nr; i++) {
        struct metrics_saved_column *from = &saved->column[i];
        struct metrics_column column = {.origin = xstrdup(path)};
        column.label = !label          ? xstrdup(from->label)
                       : saved->nr > 1 ? xasprintf("%s %s", label, from->label)
                                       : xstrdup(label);
        for (size_t k = 0; k < from->run_nr; k++)
            take_run(&column, &from->run[k]);
        column.given_nr = from->given_nr;
        memcpy(column.given, from->given, sizeof(column.given));
        status = finish(report, &column, from->definition, err);
        if (!status)
            metrics_saved_compare(from, &report->column[report->nr - 1]);
    }
    return status;
}

static int add_files(struct metrics_report *report, const char *label, const char *files,
                     struct error *err)
{
    struct metrics_column column = {.origin = xstrdup(files),
                                    .label = xstrdup(label ? label : path_base(files))};
    if (read_runs(&column, files, err)) {
        metrics_column_release(&column);
        return -1;
    }
    return finish(report, &column, NULL, err);
}

/* A path that exists as it is written goes before '=' and ','. Caller frees *label. */
static const char *split_label(const char *spec, char **label)
{
    size_t length = strcspn(spec, "=");
    *label = NULL;
    if (file_exists(spec) || !spec[length] || !length || memchr(spec, ',', length))
        return spec;
    *label = xstrndup(spec, length);
    return spec + length + 1;
}

static int read_spec(struct metrics_report *report, const char *spec, struct error *err)
{
    struct metrics_saved saved = {0};
    char *label = NULL;
    bool is_saved = false;
    const char *files = split_label(spec, &label);
    int status =
        file_exists(files) ? metrics_saved_read(files, &saved, &is_saved, err) : 0;
    if (!status)
        status = is_saved ? add_saved(report, &saved, label, files, err)
                          : add_files(report, label, files, err);
    metrics_saved_release(&saved);
    free(label);
    return status;
}

int metrics_read_columns(struct metrics_report *report, struct error *err)
{
    const struct strvec *counts = &report->settings->counts;
    for (size_t i = 0; i < counts->nr; i++)
        if (read_spec(report, counts->v[i], err))
            return -1;
    return metrics_check_cpus(report, err);
}
