/* Metrics and their definitions as documents, and as a page made of one; definitions as
 * text. */
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "advisor/html/html_page.h"
#include "advisor/metrics/metrics_columns.h"
#include "advisor/metrics/metrics_show.h"
#include "core/base.h"
#include "core/store/store.h"

/* ---- definitions ---- */

static json_t *definition_json(const struct metrics_column *column)
{
    bool own = metrics_definition_is_own(column->set);
    char *hash = metrics_definition_hash(column);
    json_t *out = json_pack(
        "{s:s, s:s, s:o, s:o}", "name", column->set->name, "title", column->set->title,
        "path", text_json(own ? column->set->path : NULL), "sha256", text_json(hash));
    free(hash);
    return out;
}

static json_t *models_json(const struct metrics_report *report,
                           const struct metrics_column *column)
{
    const struct metric_set *set = column->set;
    json_t *list = json_array();
    for (size_t i = 0; i < set->model_nr; i++) {
        struct strvec missing = {0};
        metrics_missing(column, i, &missing);
        json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:s, s:b, s:b, s:b, s:o}",
                                              "name", set->model[i].name, "title",
                                              set->model[i].title, "about",
                                              text_json(set->model[i].about), "roots",
                                              metric_sum_word(set->model[i].roots),
                                              "losses", (int)set->model[i].losses,
                                              "computed", metrics_computed(column, i),
                                              "shown", metrics_shows(report, column, i),
                                              "missing", json_strvec(&missing)));
        strvec_release(&missing);
    }
    return list;
}

/* ---- values ---- */

static json_t *metric_json(const struct metrics_column *column, size_t i)
{
    const struct metric_set *set = column->set;
    const struct metric *metric = &set->metric[i];
    const struct metric_value *value = &column->result.value[i];
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:b, s:b, "
        "s:b, s:b, s:b, s:b}",
        "name", metric->name, "model",
        text_json(metric->model < 0 ? NULL : set->model[metric->model].name), "parent",
        text_json(metric->parent < 0 ? NULL : set->metric[metric->parent].name), "group",
        text_json(metric->group), "unit", metric->unit, "of", text_json(metric->of),
        "value", json_quantity(value->value), "whole", json_quantity(value->whole),
        "formula", metric->text, "about", text_json(metric->about), "source",
        text_json(metric->source), "why", text_json(value->why), "counted_share",
        value->share > 0 ? json_real(value->share) : json_null(), "absent", value->absent,
        "estimated", metric->estimated, "useful", metric->useful, "dominant",
        value->dominant, "tied", value->tied, "out_of_range", value->out_of_range);
}

static json_t *metrics_of(const struct metrics_column *column)
{
    json_t *list = json_array();
    for (size_t i = 0; i < column->set->metric_nr; i++)
        json_array_append_new(list, metric_json(column, i));
    return list;
}

static json_t *breaches_json(const struct metrics_column *column)
{
    const struct metric_set *set = column->set;
    json_t *list = json_array();
    for (size_t i = 0; i < column->result.breach_nr; i++) {
        const struct metric_sum_breach *breach = &column->result.breach[i];
        json_array_append_new(
            list,
            json_pack(
                "{s:s, s:o, s:o}", "model", set->model[breach->model].name, "parent",
                text_json(breach->parent < 0 ? NULL : set->metric[breach->parent].name),
                "rest", json_quantity(breach->rest)));
    }
    return list;
}

static json_t *runs_json(const struct metrics_column *column)
{
    json_t *list = json_array();
    for (size_t i = 0; i < column->run_nr; i++)
        json_array_append_new(list, count_set_to_json(&column->run[i]));
    return list;
}

static json_t *given_json(const struct metrics_column *column)
{
    json_t *out = json_object();
    for (size_t i = 0; i < column->given_nr; i++)
        json_object_set_new(out, column->given[i].name,
                            json_quantity(column->given[i].value));
    return out;
}

static json_t *notes_json(const struct metrics_column *column)
{
    struct strvec all = {0};
    metrics_notes(column, &all);
    json_t *list = json_strvec(&all);
    strvec_release(&all);
    return list;
}

static json_t *column_json(const struct metrics_report *report,
                           const struct metrics_column *column)
{
    json_t *identities =
        json_pack("{s:i, s:i}", "comparable", (int)column->result.identity_nr, "broken",
                  (int)column->result.identity_broken_nr);
    return json_pack("{s:o, s:o, s:o, s:o, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
                     "s:o, s:o}",
                     "label", text_json(column->label), "origin",
                     text_json(column->origin), "definition", definition_json(column),
                     "runs", runs_json(column), "variation", column->variation, "seconds",
                     json_quantity(column->counts.seconds), "given", given_json(column),
                     "models", models_json(report, column), "metrics", metrics_of(column),
                     "breaches", breaches_json(column), "identities", identities,
                     "little_lines_per_core", json_quantity(column->little), "latency_ns",
                     json_quantity(column->latency_ns), "little_why",
                     text_json(column->little_why), "notes", notes_json(column));
}

json_t *metrics_json(const struct metrics_report *report)
{
    json_t *columns = json_array();
    for (size_t i = 0; i < report->nr; i++)
        json_array_append_new(columns, column_json(report, &report->column[i]));
    return json_pack("{s:s, s:o, s:o}", "schema", "inflight.metrics-result/1", "columns",
                     columns, "roofline", metrics_roof_json(report));
}

/* ---- which CPUs ---- */

static void add_words(struct buf *out, const json_t *row, const char *key,
                      const char *before)
{
    const json_t *value = json_object_get(row, key), *one;
    size_t i;
    if (json_is_string(value))
        buf_addf(out, "%s%s", before, json_string_value(value));
    json_array_foreach(value, i, one)
        buf_addf(out, "%s%s", i ? ", " : before, json_string_value(one));
}

/* "intel family 6 model 55 stepping 5, 6; arm implementer 46 part 001". */
static void add_recognised(struct buf *out, const struct metric_set *set)
{
    const json_t *row;
    size_t i;
    json_array_foreach(set->recognise, i, row) {
        add_words(out, row, "vendor", i ? "; " : "");
        add_words(out, row, "family", " family ");
        add_words(out, row, "models", " model ");
        add_words(out, row, "steppings", " stepping ");
        add_words(out, row, "implementer", " implementer ");
        add_words(out, row, "parts", " part ");
        add_words(out, row, "core", " core ");
    }
    if (!json_array_size(set->recognise))
        buf_add(out, "no CPU: common to all");
}

static size_t shown_nr(const struct metric_set *set)
{
    size_t nr = 0;
    for (size_t i = 0; i < set->metric_nr; i++)
        nr += set->metric[i].model != METRIC_NONE;
    return nr;
}

static char *model_names(const struct metric_set *set)
{
    struct strvec names = {0};
    for (size_t i = 0; i < set->model_nr; i++)
        strvec_push(&names, set->model[i].name);
    char *text = strvec_join(&names, ", ");
    strvec_release(&names);
    return text;
}

/* ---- all files ---- */

static void add_file_head(const char *name, const char *title, struct layout *layout)
{
    buf_addf(layout->out, "  %s%-18s%s ", layout->colour ? "\033[1m" : "", name,
             layout->colour ? "\033[0m" : "");
    buf_add_wrapped(layout->out, title, 21, layout->width);
    buf_add(layout->out, "\n");
}

static void text_of_file(const struct metric_set *set, struct layout *layout)
{
    struct buf cpus = {0};
    char *models = model_names(set);
    add_recognised(&cpus, set);
    add_file_head(set->name, set->title, layout);
    buf_addf(layout->out, "%21s", "");
    buf_add_wrapped(layout->out, buf_str(&cpus), 21, layout->width);
    buf_addf(layout->out, "\n%21s%zu metrics of %zu events: ", "", shown_nr(set),
             set->event_nr);
    buf_add_wrapped(layout->out, models, 21, layout->width);
    buf_add(layout->out, "\n");
    buf_release(&cpus);
    free(models);
}

static json_t *json_of_file(const struct metric_set *set)
{
    json_t *models = json_array(), *one;
    for (size_t i = 0; i < set->model_nr; i++)
        json_array_append_new(models, json_string(set->model[i].name));
    one = json_pack("{s:s, s:s, s:O, s:o, s:i, s:i}", "name", set->name, "title",
                    set->title, "recognise",
                    set->recognise ? set->recognise : json_null(), "models", models,
                    "metrics", (int)shown_nr(set), "events", (int)set->event_nr);
    return one;
}

static void list_file(const struct settings *settings, const struct metric_set *set,
                      struct layout *layout, json_t *list)
{
    if (settings->json)
        json_array_append_new(list, json_of_file(set));
    else
        text_of_file(set, layout);
}

/* A file whose names are defined by those that include it. */
static void list_part(const struct settings *settings, const struct metric_file *file,
                      struct layout *layout, json_t *list)
{
    if (settings->json) {
        json_array_append_new(
            list, json_pack("{s:s, s:s}", "name", file->name, "title", file->title));
        return;
    }
    add_file_head(file->name, file->title, layout);
    buf_addf(layout->out, "%21sa part of the files that include it\n", "");
}

static int list_files(const struct settings *settings, struct layout *layout,
                      json_t *list, struct error *err)
{
    struct metric_file *file = NULL;
    size_t nr = 0;
    int status = metric_files(&file, &nr, err);
    for (size_t i = 0; !status && i < nr; i++) {
        struct metric_set *set = NULL;
        struct error why = {0};
        if (!metric_set_load(file[i].name, NULL, &set, &why))
            list_file(settings, set, layout, list);
        else if (file[i].common)
            list_part(settings, &file[i], layout, list);
        else
            status = fail(err, why.status, "%s", why.text);
        metric_set_free(set);
    }
    metric_files_release(file, nr);
    return status;
}

/* ---- one file ---- */

static void text_of_metric(const struct metric_set *set, size_t i, struct layout *layout)
{
    const struct metric *metric = &set->metric[i];
    struct buf line = {0}, unit = {0};
    int indent = 2 + 2 * metrics_depth(set, (int)i);
    metrics_add_unit(&unit, metric);
    buf_addf(&line, "%s%s%s%s = %s", metric->name, unit.length ? " (" : "",
             buf_str(&unit), unit.length ? ")" : "", metric->text);
    buf_addf(layout->out, "%*s", indent, "");
    buf_add_wrapped(layout->out, buf_str(&line), (size_t)indent + 4, layout->width);
    buf_add(layout->out, "\n");
    metrics_add_about(layout, metric, indent + 4);
    buf_release(&line);
    buf_release(&unit);
}

static void text_of_model(const struct metric_set *set, int model, struct layout *layout)
{
    layout_heading(layout,
                   model == METRIC_NONE ? "Parts of others" : set->model[model].title);
    if (model != METRIC_NONE && set->model[model].about)
        layout_paragraph(layout, "%s", set->model[model].about);
    for (size_t i = 0; i < set->metric_nr; i++)
        if (set->metric[i].model == model)
            text_of_metric(set, i, layout);
}

static void text_of_events(const struct metric_set *set, struct layout *layout)
{
    layout_heading(layout, "Events");
    for (size_t i = 0; i < set->event_nr; i++) {
        const struct metric_event *event = &set->event[i];
        char *alias = strvec_join(&event->alias, ", ");
        layout_paragraph(layout, "%s%s%s%s%s", event->name,
                         event->alias.nr ? ", also " : "", alias, event->note ? "; " : "",
                         event->note ? event->note : "");
        free(alias);
    }
    for (size_t i = 0; i < set->absent_nr; i++)
        layout_paragraph(layout, "without %s: %s", set->absent[i].name,
                         set->absent[i].why);
}

static void text_of_constants(const struct metric_set *set, struct layout *layout)
{
    if (set->constant_nr)
        layout_heading(layout, "Constants");
    for (size_t i = 0; i < set->constant_nr; i++)
        layout_paragraph(layout, "%s = %.10g %s, from %s", set->constant[i].name,
                         set->constant[i].value, set->constant[i].unit,
                         set->constant[i].source);
}

static void text_of_set(const struct settings *settings, const struct metric_set *set,
                        struct layout *layout)
{
    struct buf cpus = {0};
    add_recognised(&cpus, set);
    buf_addf(layout->out, "%s%s%s: %s\n", layout->colour ? "\033[1m" : "", set->name,
             layout->colour ? "\033[0m" : "", set->title);
    layout_paragraph(layout, "%s; file %s", buf_str(&cpus), set->path);
    for (size_t i = 0; i < set->source.nr; i++)
        layout_paragraph(layout, "%s", set->source.v[i]);
    for (size_t m = 0; m < set->model_nr; m++)
        if (!settings->model || !strcmp(settings->model, set->model[m].name))
            text_of_model(set, (int)m, layout);
    if (!settings->model) {
        text_of_model(set, METRIC_NONE, layout);
        text_of_constants(set, layout);
        text_of_events(set, layout);
    }
    buf_release(&cpus);
}

static json_t *json_of_metric(const struct metric_set *set, size_t i)
{
    const struct metric *metric = &set->metric[i];
    return json_pack(
        "{s:s, s:o, s:o, s:s, s:s, s:o, s:o, s:o, s:b, s:b}", "name", metric->name,
        "model", text_json(metric->model < 0 ? NULL : set->model[metric->model].name),
        "parent", text_json(metric->parent < 0 ? NULL : set->metric[metric->parent].name),
        "formula", metric->text, "unit", metric->unit, "of", text_json(metric->of),
        "about", text_json(metric->about), "source", text_json(metric->source), "useful",
        metric->useful, "estimated", metric->estimated);
}

static json_t *json_of_set(const struct metric_set *set)
{
    json_t *metrics = json_array(), *events = json_array(), *one = json_of_file(set);
    for (size_t i = 0; i < set->metric_nr; i++)
        json_array_append_new(metrics, json_of_metric(set, i));
    for (size_t i = 0; i < set->event_nr; i++)
        json_array_append_new(events,
                              json_pack("{s:s, s:o, s:o}", "name", set->event[i].name,
                                        "aliases", json_strvec(&set->event[i].alias),
                                        "note", text_json(set->event[i].note)));
    json_object_set_new(one, "metrics", metrics);
    json_object_set_new(one, "events", events);
    return one;
}

/* ---- the command ---- */

static int list_one(const struct settings *settings, struct layout *layout, json_t *list,
                    struct error *err)
{
    struct metric_set *set = NULL;
    if (metric_set_load(settings->cpu, NULL, &set, err) ||
        metrics_check_model(set, settings->model, err)) {
        metric_set_free(set);
        return -1;
    }
    if (settings->json)
        json_array_append_new(list, json_of_set(set));
    else
        text_of_set(settings, set, layout);
    metric_set_free(set);
    return 0;
}

int metrics_list(const struct settings *settings, struct error *err)
{
    struct buf text = {0};
    struct layout layout =
        layout_on(&text, term_colour(stdout, settings->colour), term_columns(stdout));
    json_t *list = json_array();
    int status = settings->cpu ? list_one(settings, &layout, list, err)
                               : list_files(settings, &layout, list, err);
    if (!status && settings->json) {
        json_t *document = json_pack("{s:s, s:O}", "schema", "inflight.metrics-list/1",
                                     "definitions", list);
        status = print_json(document, err);
        json_decref(document);
    } else if (!status) {
        status = print_text(buf_str(&text), err);
    }
    json_decref(list);
    buf_release(&text);
    return status;
}

/* ---- the page ---- */

int metrics_html_write(const struct metrics_report *report, const char *path,
                       struct error *err)
{
    json_t *document = metrics_json(report);
    char *title = xasprintf("%s \xc2\xb7 inflight metrics", report->column[0].label);
    int status = html_page_write(document, title, path, err);
    free(title);
    json_decref(document);
    return status;
}
