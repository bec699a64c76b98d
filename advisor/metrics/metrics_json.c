#include "advisor/metrics/metrics_json.h"

#include <stdlib.h>
#include <string.h>

#include "advisor/metrics/metrics_against.h"
#include "advisor/metrics/metrics_roof.h"
#include "advisor/metrics/metrics_rows.h"
#include "advisor/metrics/metrics_saved.h"

static json_t *strings(const struct strvec *list)
{
    return json_strings((const char *const *)list->v, list->nr);
}

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

static json_t *models_json(const struct metrics_column *column)
{
    const struct metric_set *set = column->set;
    json_t *list = json_array();
    for (size_t i = 0; i < set->model_nr; i++) {
        struct strvec missing = {0};
        metrics_missing(column, i, &missing);
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:s, s:b, s:o}", "name", set->model[i].name,
                            "title", set->model[i].title, "roots",
                            metric_sum_word(set->model[i].roots), "computed",
                            metrics_computed(column, i), "missing", strings(&missing)));
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
        "{s:s, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:s, s:o, s:o, s:b, s:b, s:b, s:b, "
        "s:b, s:b}",
        "name", metric->name, "model",
        text_json(metric->model < 0 ? NULL : set->model[metric->model].name), "parent",
        text_json(metric->parent < 0 ? NULL : set->metric[metric->parent].name), "group",
        text_json(metric->group), "unit", metric->unit, "of", text_json(metric->of),
        "value", json_quantity(value->value), "whole", json_quantity(value->whole),
        "formula", metric->text, "why", text_json(value->why), "counted_share",
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
    json_t *list = strings(&all);
    strvec_release(&all);
    return list;
}

static json_t *column_json(const struct metrics_column *column)
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
                     "models", models_json(column), "metrics", metrics_of(column),
                     "breaches", breaches_json(column), "identities", identities,
                     "little_lines_per_core", json_quantity(column->little), "latency_ns",
                     json_quantity(column->latency_ns), "little_why",
                     text_json(column->little_why), "notes", notes_json(column));
}

/* ---- against the first ---- */

static json_t *work_json(const struct metrics_against *against)
{
    json_t *list = json_array();
    for (size_t i = 0; i < against->work_nr; i++) {
        const struct metrics_work *work = &against->work[i];
        json_array_append_new(
            list, json_pack("{s:s, s:o, s:o, s:o, s:o}", "name", work->name, "before",
                            json_quantity(work->before), "after",
                            json_quantity(work->after), "less", json_quantity(work->less),
                            "faster", json_quantity(work->faster)));
    }
    return list;
}

static json_t *against_json(const struct metrics_report *report)
{
    json_t *list = json_array();
    for (size_t i = 0; i < report->against_nr; i++) {
        const struct metrics_against *against = &report->against[i];
        json_array_append_new(
            list,
            json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "first",
                      text_json(report->column[0].label), "label",
                      text_json(report->column[i + 1].label), "time_ratio",
                      json_quantity(against->time_ratio), "time_sentence",
                      text_json(against->time_sentence), "work", work_json(against),
                      "work_sentence", text_json(against->work_sentence), "patterns",
                      strings(&against->said), "caution", strings(&against->caution)));
    }
    return list;
}

json_t *metrics_json(const struct metrics_report *report)
{
    json_t *columns = json_array();
    for (size_t i = 0; i < report->nr; i++)
        json_array_append_new(columns, column_json(&report->column[i]));
    return json_pack("{s:s, s:o, s:o, s:o, s:o}", "schema", "inflight.metrics-result/1",
                     "columns", columns, "patterns", strings(&report->said), "against",
                     against_json(report), "roofline", metrics_roof_json(report));
}
