/* The members of a definition file (inflight.metrics/1), as they stand there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/metrics/metric_parts.h"

/* ---- texts ---- */

int metric_text_at(const struct json_at *at, const char *key, char **out,
                   struct error *err)
{
    const char *text;

    if (json_string_at(at, key, &text, err))
        return -1;
    if (!*text)
        return json_fail(at, err, "\"%s\" is empty", key);
    *out = xstrdup(text);
    return 0;
}

/* NULL where it is not there. */
static int maybe_text_at(const struct json_at *at, const char *key, char **out,
                         struct error *err)
{
    return json_has(at, key) ? metric_text_at(at, key, out, err) : 0;
}

static int maybe_strings_at(const struct json_at *at, const char *key, struct strvec *out,
                            struct error *err)
{
    return json_has(at, key) ? json_strings_at(at, key, out, err) : 0;
}

static int maybe_bool_at(const struct json_at *at, const char *key, bool *out,
                         struct error *err)
{
    return json_has(at, key) ? json_bool_at(at, key, out, err) : 0;
}

/* ---- one of each ---- */

static int read_constant(const struct json_at *at, struct metric_set *set,
                         struct error *err)
{
    struct metric_constant *constant;

    GROW(set->constant, set->constant_nr + 1, set->constant_alloc);
    constant = &set->constant[set->constant_nr++];
    *constant = (struct metric_constant){0};
    return json_only_keys(at, "name value unit source", err) ||
                   metric_text_at(at, "name", &constant->name, err) ||
                   json_number_at(at, "value", -1e300, 1e300, &constant->value, err) ||
                   metric_text_at(at, "unit", &constant->unit, err) ||
                   metric_text_at(at, "source", &constant->source, err)
               ? -1
               : 0;
}

static int read_event(const struct json_at *at, struct metric_set *set, struct error *err)
{
    struct metric_event *event;

    GROW(set->event, set->event_nr + 1, set->event_alloc);
    event = &set->event[set->event_nr++];
    *event = (struct metric_event){0};
    return json_only_keys(at, "name aliases note", err) ||
                   metric_text_at(at, "name", &event->name, err) ||
                   maybe_strings_at(at, "aliases", &event->alias, err) ||
                   maybe_text_at(at, "note", &event->note, err)
               ? -1
               : 0;
}

static int read_event_set(const struct json_at *at, struct metric_set *set,
                          struct error *err)
{
    struct metric_event_set *one;

    GROW(set->event_set, set->event_set_nr + 1, set->event_set_alloc);
    one = &set->event_set[set->event_set_nr++];
    *one = (struct metric_event_set){0};
    return json_only_keys(at, "name events", err) ||
                   metric_text_at(at, "name", &one->name, err) ||
                   json_strings_at(at, "events", &one->event, err)
               ? -1
               : 0;
}

static int read_absent(const struct json_at *at, struct metric_set *set,
                       struct error *err)
{
    struct metric_absent *absent;

    GROW(set->absent, set->absent_nr + 1, set->absent_alloc);
    absent = &set->absent[set->absent_nr++];
    *absent = (struct metric_absent){0};
    return json_only_keys(at, "name why", err) ||
                   metric_text_at(at, "name", &absent->name, err) ||
                   metric_text_at(at, "why", &absent->why, err)
               ? -1
               : 0;
}

const char *metric_sum_word(enum metric_sum sum)
{
    static const char *const words[] = {
#define X(name, word) word,
        METRIC_SUM_MAP(X)
#undef X
    };

    return words[sum];
}

static int sum_at(const struct json_at *at, const char *key, enum metric_sum *out,
                  struct error *err)
{
    const char *word;

    if (json_string_at(at, key, &word, err))
        return -1;
    for (int i = 0; i <= METRIC_SUM_OVERLAP; i++)
        if (!strcmp(word, metric_sum_word((enum metric_sum)i))) {
            *out = (enum metric_sum)i;
            return 0;
        }
    return json_fail(at, err, "\"%s\" is part, whole or overlap, not '%s'", key, word);
}

static int read_model(const struct json_at *at, struct metric_set *set, struct error *err)
{
    struct metric_model *model;

    GROW(set->model, set->model_nr + 1, set->model_alloc);
    model = &set->model[set->model_nr++];
    *model = (struct metric_model){0};
    return json_only_keys(at, "name title about source roots losses", err) ||
                   metric_text_at(at, "name", &model->name, err) ||
                   metric_text_at(at, "title", &model->title, err) ||
                   metric_text_at(at, "about", &model->about, err) ||
                   metric_text_at(at, "source", &model->source, err) ||
                   sum_at(at, "roots", &model->roots, err) ||
                   maybe_bool_at(at, "losses", &model->losses, err)
               ? -1
               : 0;
}

/* ---- a metric ---- */

/* null = there is no end. */
static int bound_at(const struct json_at *at, const char *key, double usual, double none,
                    double *out, struct error *err)
{
    struct json_at member;

    *out = usual;
    if (json_member(at, key, &member, NULL))
        return 0;
    if (json_is_null(member.node)) {
        *out = none;
        return 0;
    }
    return json_number_at(at, key, -1e300, 1e300, out, err);
}

static int range_at(const struct json_at *at, struct metric *metric, struct error *err)
{
    if (bound_at(at, "low", 0, -INFINITY, &metric->low, err) ||
        bound_at(at, "high", metric->of ? 1 : INFINITY, INFINITY, &metric->high, err))
        return -1;
    if (metric->low > metric->high)
        return json_fail(at, err, "'%s': \"low\" is above \"high\"", metric->name);
    return 0;
}

static int model_at(const struct json_at *at, const struct metric_set *set,
                    struct metric *metric, struct error *err)
{
    const char *word;

    if (json_has(at, "model")) {
        if (json_string_at(at, "model", &word, err))
            return -1;
        for (size_t i = 0; i < set->model_nr; i++)
            if (!strcmp(set->model[i].name, word))
                metric->model = (int)i;
        if (metric->model == METRIC_NONE)
            return json_fail(at, err, "'%s': the file has no model '%s'", metric->name,
                             word);
    }
    if (!json_has(at, "parent"))
        return 0;
    if (json_string_at(at, "parent", &word, err))
        return -1;
    metric->parent = metric_find(set, word);
    if (metric->parent == METRIC_NONE || &set->metric[metric->parent] == metric ||
        set->metric[metric->parent].model != metric->model ||
        metric->model == METRIC_NONE)
        return json_fail(at, err,
                         "'%s': its parent '%s' does not stand before it in its model",
                         metric->name, word);
    return 0;
}

static int share_at(const struct json_at *at, struct metric *metric, struct error *err)
{
    bool share = !strcmp(metric->unit, "share");

    if (maybe_text_at(at, "of", &metric->of, err))
        return -1;
    if (share != (metric->of != NULL))
        return json_fail(at, err,
                         "'%s': \"of\" says what a share is of, and a share must say it",
                         metric->name);
    if (share && !strcmp(metric->of, "parent") && metric->parent == METRIC_NONE)
        return json_fail(at, err, "'%s' is a share of its parent and has none",
                         metric->name);
    return 0;
}

static int formula_at(const struct json_at *at, struct metric *metric, struct error *err)
{
    if (metric_text_at(at, "formula", &metric->text, err))
        return -1;
    if (formula_parse(metric->text, &metric->formula, err) == 0)
        return 0;
    return fail_in(err, "%s: metric '%s'", at->file, metric->name);
}

static int metric_words_at(const struct json_at *at, struct metric *metric,
                           struct error *err)
{
    const char *unit;

    if (json_string_at(at, "unit", &unit, err))
        return -1;
    metric->unit = xstrdup(unit);
    return maybe_text_at(at, "group", &metric->group, err) ||
                   metric_text_at(at, "about", &metric->about, err) ||
                   maybe_text_at(at, "source", &metric->source, err) ||
                   maybe_text_at(at, "fact", &metric->fact, err) ||
                   maybe_bool_at(at, "useful", &metric->useful, err) ||
                   maybe_bool_at(at, "estimated", &metric->estimated, err) ||
                   (json_has(at, "children") &&
                    sum_at(at, "children", &metric->children, err))
               ? -1
               : 0;
}

static int read_metric(const struct json_at *at, struct metric_set *set,
                       struct error *err)
{
    struct metric *metric;

    GROW(set->metric, set->metric_nr + 1, set->metric_alloc);
    metric = &set->metric[set->metric_nr];
    *metric = (struct metric){.model = METRIC_NONE, .parent = METRIC_NONE};
    if (json_only_keys(at,
                       "name formula unit of group about source fact model parent "
                       "children useful estimated low high",
                       err) ||
        metric_text_at(at, "name", &metric->name, err))
        return -1;
    set->metric_nr++; /* from here on it is released with the set */
    return metric_words_at(at, metric, err) || model_at(at, set, metric, err) ||
                   share_at(at, metric, err) || range_at(at, metric, err) ||
                   formula_at(at, metric, err)
               ? -1
               : 0;
}

/* ---- the lists ---- */

static int each(const struct json_at *at, const char *key, struct metric_set *set,
                int (*read)(const struct json_at *at, struct metric_set *set,
                            struct error *err),
                struct error *err)
{
    struct json_at list;
    size_t nr;

    if (!json_has(at, key))
        return 0;
    if (json_array_at(at, key, &list, &nr, err))
        return -1;
    for (size_t i = 0; i < nr; i++) {
        struct json_at item = json_element(&list, i);

        if (read(&item, set, err))
            return -1;
    }
    return 0;
}

int metric_fields_read(const struct json_at *at, struct metric_set *set,
                       struct error *err)
{
    return json_only_keys(at,
                          "schema name title recognise pmus include sources constants "
                          "events sets absent models metrics identities warnings",
                          err) ||
                   maybe_strings_at(at, "pmus", &set->pmu, err) ||
                   json_strings_at(at, "sources", &set->source, err) ||
                   each(at, "constants", set, read_constant, err) ||
                   each(at, "events", set, read_event, err) ||
                   each(at, "sets", set, read_event_set, err) ||
                   each(at, "absent", set, read_absent, err) ||
                   each(at, "models", set, read_model, err) ||
                   each(at, "metrics", set, read_metric, err) ||
                   each(at, "identities", set, metric_identity_read, err) ||
                   each(at, "warnings", set, metric_warning_read, err)
               ? -1
               : 0;
}
