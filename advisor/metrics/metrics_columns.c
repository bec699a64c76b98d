/* Columns: what they are made of, and what is asked of them. */
#include "advisor/metrics/metrics_columns.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base.h"

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
    *report = (struct metrics_report){0};
}

static struct metric_question question_of(const struct metrics_column *column)
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

bool metrics_has_model(const struct metric_set *set, const char *name)
{
    for (size_t i = 0; i < set->model_nr; i++)
        if (!strcmp(set->model[i].name, name))
            return true;
    return false;
}

int metrics_check_model(const struct metric_set *set, const char *name, struct error *err)
{
    struct strvec names = {0};
    if (!name || metrics_has_model(set, name))
        return 0;
    for (size_t i = 0; i < set->model_nr; i++)
        strvec_push(&names, set->model[i].name);
    const char *near = nearest_word(name, (const char *const *)names.v, names.nr);
    char *all = strvec_join(&names, ", ");
    fail(err, STATUS_USAGE,
         near ? "'%s' has no model '%s'; did you mean '%s'?"
              : "'%s' has no model '%s'; there are: %s",
         set->name, name, near ? near : all);
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
                     "%zu runs were merged: they differ by %.2g %% at most",
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
                             "'%s' (%.4g) and '%s' (%.4g) are the same event: only the "
                             "first is used",
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
    struct metric_question question = question_of(column);
    note_variation(column);
    note_twice(column);
    metric_evaluate(&question, &column->result);
    metrics_find_little(column);
    GROW(report->column, report->nr + 1, report->alloc);
    report->column[report->nr++] = *column;
    *column = (struct metrics_column){0};
    return 0;
}

/* ---- what is asked of columns ---- */

/* As core/metrics says it of an event. */
static const char not_counted[] = " is not among the counts";

bool metrics_computed(const struct metrics_column *column, size_t model)
{
    for (size_t i = 0; i < column->set->metric_nr; i++)
        if (column->set->metric[i].model == (int)model &&
            column->result.value[i].value.known)
            return true;
    return false;
}

bool metrics_shows(const struct metrics_report *report,
                   const struct metrics_column *column, size_t model)
{
    const char *wanted = report->settings->model;
    return wanted ? !strcmp(wanted, column->set->model[model].name)
                  : metrics_computed(column, model);
}

void metrics_notes(const struct metrics_column *column, struct strvec *out)
{
    strvec_push_all(out, &column->note);
    strvec_push_all(out, &column->counts.note);
    strvec_push_all(out, &column->result.note);
}

const char *metrics_add_way(struct buf *out, const struct metrics_column *column,
                            size_t model, const char *between)
{
    const struct metric_set *set = column->set;
    const char *about = NULL;
    for (size_t i = 0; i < set->metric_nr; i++) {
        if (set->metric[i].model != (int)model || !column->result.value[i].dominant)
            continue;
        buf_addf(out, "%s%s", out->length ? between : "", set->metric[i].name);
        about = set->metric[i].about;
    }
    return about;
}

int metrics_depth(const struct metric_set *set, int metric)
{
    int depth = 0;
    for (int at = set->metric[metric].parent; at != METRIC_NONE;
         at = set->metric[at].parent)
        depth++;
    return depth;
}

bool metrics_is_of_parent(const struct metric *metric)
{
    return metric->of && !strcmp(metric->of, "parent");
}

bool metrics_is_share(const struct metric *metric)
{
    return !strcmp(metric->unit, "share");
}

void metrics_add_value(struct buf *out, const struct metric *metric,
                       const struct metric_value *value)
{
    if (!value->value.known)
        buf_add(out, value->absent ? "NA" : "?");
    else if (metrics_is_share(metric))
        buf_add_tenths(out, value->value.value);
    else
        buf_add_value(out, value->value, 1, "");
}

void metrics_add_interval(struct buf *out, const struct metric *metric,
                          struct quantity value)
{
    if (metrics_is_share(metric))
        buf_add_tenths_interval(out, value);
    else
        buf_add_interval(out, value, 1);
}

void metrics_add_unit(struct buf *out, const struct metric *metric)
{
    if (metrics_is_share(metric))
        buf_addf(out, "%%%s%s", metric->of ? " of " : "", metric->of ? metric->of : "");
    else
        buf_add(out, metric->unit);
}

/* The parts between "; ", each once. */
static void split_why(const char *why, struct strvec *out)
{
    while (*why) {
        const char *end = strstr(why, "; ");
        size_t length = end ? (size_t)(end - why) : strlen(why);
        char *part = xstrndup(why, length);
        strvec_push_once(out, part);
        free(part);
        why += end ? length + 2 : length;
    }
}

void metrics_add_why(struct buf *out, const char *why)
{
    struct strvec part = {0};
    size_t missing = 0;
    split_why(why, &part);
    for (size_t i = 0; i < part.nr; i++) {
        size_t length = strlen(part.v[i]), tail = strlen(not_counted);
        bool ends = length > tail && !strcmp(part.v[i] + length - tail, not_counted);
        if (ends)
            part.v[i][length - tail] = '\0';
        else if (missing)
            buf_addf(out, " %s not among the counts", missing > 1 ? "are" : "is");
        buf_addf(out, "%s%s", !i ? "" : ends && missing ? ", " : "; ", part.v[i]);
        missing = ends ? missing + 1 : 0;
    }
    if (missing)
        buf_addf(out, " %s not among the counts", missing > 1 ? "are" : "is");
    strvec_release(&part);
}

static bool is_counted(const struct metrics_column *column, const char *event)
{
    const struct metric_set *set = column->set;
    int wanted = metric_event_find(set, event);
    for (size_t i = 0; i < column->counts.count_nr; i++)
        if (column->counts.count[i].value.known && wanted != METRIC_NONE &&
            metric_event_find(set, column->counts.count[i].event) == wanted)
            return true;
    return false;
}

void metrics_missing(const struct metrics_column *column, size_t model,
                     struct strvec *out)
{
    const struct metric_set *set = column->set;
    struct strvec events = {0};
    for (size_t i = 0; i < set->metric_nr; i++)
        if (set->metric[i].model == (int)model && !column->result.value[i].absent)
            metric_events_of(set, (int)i, &events);
    for (size_t i = 0; i < events.nr; i++)
        if (!is_counted(column, events.v[i]))
            strvec_push_once(out, events.v[i]);
    strvec_release(&events);
}

/* ---- the definitions ---- */

/* NULL = nothing is shipped under that name. Caller frees. */
static char *shipped_definition(const char *name)
{
    char *relative = xasprintf("rules/metrics/%s.json", name), *path = NULL;
    shipped_path(relative, &path, NULL);
    free(relative);
    return path;
}

bool metrics_definition_is_own(const struct metric_set *set)
{
    char *shipped = shipped_definition(set->name);
    bool own = !shipped || strcmp(shipped, set->path) != 0;
    free(shipped);
    return own;
}

/* The files of the set, then that of the kernel's events where some were counted. */
static void definition_files(const struct metrics_column *column, struct strvec *out)
{
    char *software = shipped_definition(metrics_software);
    strvec_push_all(out, &column->set->file);
    if (software && metrics_counts_software(column))
        strvec_push_once(out, software);
    free(software);
}

char *metrics_definition_hash(const struct metrics_column *column)
{
    struct strvec file = {0};
    struct buf text = {0};
    int status = 0;
    definition_files(column, &file);
    for (size_t i = 0; i < file.nr && !status; i++)
        status = file_read(file.v[i], &text, NULL);
    char *hash = status ? NULL : sha256_hex(buf_str(&text), text.length);
    buf_release(&text);
    strvec_release(&file);
    return hash;
}

/* ---- documents that --json wrote, and files of counts ---- */

/* A column of a file, before it is evaluated. */
struct found {
    struct metrics_column column;
    char *definition; /* the name, or the path of the user's own; NULL = not told */
    char *sha256;     /* of the definitions then; NULL = not told */
};
struct file {
    struct found *found;
    size_t nr;
    bool document; /* inflight.metrics-result/1: all is computed anew from its counts */
};

static void file_release(struct file *file)
{
    for (size_t i = 0; i < file->nr; i++) {
        metrics_column_release(&file->found[i].column);
        free(file->found[i].definition);
        free(file->found[i].sha256);
    }
    free(file->found);
}

static int read_runs(const struct json_at *at, struct metrics_column *column,
                     struct error *err)
{
    struct json_at runs = {0};
    size_t nr = 0;
    if (json_array_at(at, "runs", &runs, &nr, err))
        return -1;
    if (!nr)
        return json_fail(&runs, err, "there are no counts in it");
    column->run = xcalloc(nr, sizeof(*column->run));
    for (; column->run_nr < nr; column->run_nr++) {
        struct json_at one = json_element(&runs, column->run_nr);
        if (count_set_from_json(&one, &column->run[column->run_nr], err))
            return -1;
    }
    return 0;
}

static int read_given(const struct json_at *at, struct metrics_column *column,
                      struct error *err)
{
    struct json_at given = {0};
    if (!json_has(at, "given"))
        return 0;
    if (json_object_at(at, "given", &given, err))
        return -1;
    for (const char *const *name = metric_given_names; *name; name++) {
        if (!json_has(&given, *name))
            continue;
        struct metric_given *one = &column->given[column->given_nr++];
        one->name = *name;
        if (json_quantity_at(&given, *name, &one->value, err))
            return -1;
    }
    return 0;
}

static int read_found(const struct json_at *at, struct found *found, struct error *err)
{
    struct json_at definition = {0};
    const char *label = NULL, *name = NULL, *path = NULL, *hash = NULL;
    if (json_string_at(at, "label", &label, err) ||
        json_object_at(at, "definition", &definition, err) ||
        json_string_at(&definition, "name", &name, err) ||
        (json_has(&definition, "path") &&
         json_string_at(&definition, "path", &path, err)) ||
        (json_has(&definition, "sha256") &&
         json_string_at(&definition, "sha256", &hash, err)))
        return -1;
    found->definition = xstrdup(path ? path : name);
    found->sha256 = xstrdup(hash);
    found->column.label = xstrdup(label);
    return read_given(at, &found->column, err) || read_runs(at, &found->column, err) ? -1
                                                                                     : 0;
}

static int read_document(const char *path, const json_t *root, struct file *file,
                         struct error *err)
{
    struct json_at top = json_top(path, root), columns = {0};
    size_t nr = 0;
    if (json_array_at(&top, "columns", &columns, &nr, err))
        return -1;
    if (!nr)
        return json_fail(&columns, err, "there are no columns in it");
    file->found = xcalloc(nr, sizeof(*file->found));
    while (file->nr < nr) {
        struct json_at one = json_element(&columns, file->nr);
        if (read_found(&one, &file->found[file->nr++], err))
            return -1;
    }
    return 0;
}

/* A pipe can be read once only: what it holds is counts. */
static bool is_lasting(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISREG(found.st_mode);
}

static int read_file(const char *path, struct file *file, struct error *err)
{
    json_t *root = NULL;
    if (is_lasting(path) && json_read_file(path, NULL, &root, NULL))
        root = NULL;
    const char *schema = json_string_value(json_object_get(root, "schema"));
    file->document = schema && !strcmp(schema, "inflight.metrics-result/1");
    int status = file->document ? read_document(path, root, file, err) : 0;
    json_decref(root);
    if (file->document)
        return status;
    file->found = xcalloc(1, sizeof(*file->found));
    file->nr = 1;
    file->found->column.run = xcalloc(1, sizeof(*file->found->column.run));
    file->found->column.run_nr = 1;
    return count_set_read(path, file->found->column.run, err);
}

/* Definitions are no longer those of then. */
static void note_definition(const char *sha256, struct metrics_column *now)
{
    char *hash = metrics_definition_hash(now);
    if (sha256 && hash && strcmp(sha256, hash) != 0)
        strvec_pushf(&now->note,
                     "'%s' was computed with other definitions than '%s' has now: the "
                     "values may differ from those that it holds",
                     now->origin, now->set->name);
    free(hash);
}

/* Takes over the column. */
static int finish(struct metrics_report *report, struct metrics_column *column,
                  const struct found *found, struct error *err)
{
    bool here = false;
    for (size_t i = 0; report->settings->seconds_s > 0 && i < column->run_nr; i++)
        column->run[i].seconds =
            quantity_exact(report->settings->seconds_s, PROVENANCE_DECLARED);
    if (metrics_choose_set(report, found ? found->definition : NULL, column, &here,
                           err)) {
        metrics_column_release(column);
        return -1;
    }
    int status = metrics_add_column(report, column, here, err);
    if (!status && found && found->sha256)
        note_definition(found->sha256, &report->column[report->nr - 1]);
    return status;
}

/* All columns of the file. */
static int add_file(struct metrics_report *report, const char *label, const char *path,
                    struct error *err)
{
    struct file file = {0};
    int status = read_file(path, &file, err);
    for (size_t i = 0; !status && i < file.nr; i++) {
        struct metrics_column *column = &file.found[i].column;
        char *own = column->label;
        column->origin = xstrdup(path);
        column->label = label && file.nr > 1 ? xasprintf("%s %s", label, own)
                                             : xstrdup(label ? label
                                                       : own ? own
                                                             : path_base(path));
        free(own);
        status = finish(report, column, &file.found[i], err);
    }
    file_release(&file);
    return status;
}

static int take_runs(struct metrics_column *column, const char *path, struct error *err)
{
    struct file file = {0};
    int status = read_file(path, &file, err);
    if (!status && file.nr != 1)
        status = fail(err, STATUS_INPUT,
                      "'%s' holds %zu columns: runs of the same work are merged from "
                      "files with one column each",
                      path, file.nr);
    if (!status) {
        struct metrics_column *from = &file.found->column;
        column->run =
            xrealloc(column->run, column->run_nr + from->run_nr, sizeof(*column->run));
        memcpy(column->run + column->run_nr, from->run,
               from->run_nr * sizeof(*column->run));
        column->run_nr += from->run_nr;
        from->run_nr = 0;
    }
    file_release(&file);
    return status;
}

/* FILE[,FILE...]: runs of one work, with other events each. */
static int add_files(struct metrics_report *report, const char *label, const char *files,
                     struct error *err)
{
    struct metrics_column column = {.origin = xstrdup(files),
                                    .label = xstrdup(label ? label : path_base(files))};
    const char *all = files;
    int status = 0;
    while (!status) {
        size_t length = strcspn(files, ",");
        char *path = xstrndup(files, length);
        status = *path ? take_runs(&column, path, err)
                       : fail(err, STATUS_USAGE,
                              "--counts '%s': the name of a file is missing", all);
        free(path);
        files += length;
        if (!*files++)
            break;
    }
    if (!status)
        return finish(report, &column, NULL, err);
    metrics_column_release(&column);
    return -1;
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
    char *label = NULL;
    const char *files = split_label(spec, &label);
    int status = file_exists(files) ? add_file(report, label, files, err)
                                    : add_files(report, label, files, err);
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
