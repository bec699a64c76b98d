/* A set of definitions: what is in it, by name. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/metrics/metric_parts.h"

/* ---- finding ---- */

int metric_find(const struct metric_set *set, const char *name)
{
    for (size_t i = 0; i < set->metric_nr; i++)
        if (!strcmp(set->metric[i].name, name))
            return (int)i;
    return METRIC_NONE;
}

const struct metric_absent *metric_absent_find(const struct metric_set *set,
                                               const char *name)
{
    for (size_t i = 0; i < set->absent_nr; i++)
        if (!strcmp(set->absent[i].name, name))
            return &set->absent[i];
    return NULL;
}

const struct metric_constant *metric_constant_find(const struct metric_set *set,
                                                   const char *name)
{
    for (size_t i = 0; i < set->constant_nr; i++)
        if (!strcmp(set->constant[i].name, name))
            return &set->constant[i];
    return NULL;
}

const struct metric_event *metric_event_named(const struct metric_set *set,
                                              const char *name)
{
    for (size_t i = 0; i < set->event_nr; i++)
        if (!strcmp(set->event[i].name, name))
            return &set->event[i];
    return NULL;
}

/* ---- events as tools write them ---- */

static char plain(char c)
{
    return strchr(".:_-", c) ? '_' : (char)tolower((unsigned char)c);
}

/* The same word, `length` letters of `counted`, but for modifiers behind it. */
static bool same_words(const char *name, const char *counted, size_t length)
{
    size_t i = 0;

    while (name[i] && i < length && plain(name[i]) == plain(counted[i]))
        i++;
    return !name[i] && (i == length || count_is_modifier(counted + i));
}

/* What stands behind the PMU: "skx::X" -> X, "cpu_core/x/u" -> x. */
static void without_pmu(const struct metric_set *set, const char *counted,
                        const char **name, size_t *length)
{
    const char *colons = strstr(counted, "::"), *slash = strchr(counted, '/');
    const char *end = slash ? strchr(slash + 1, '/') : NULL;

    *name = counted;
    for (size_t i = 0; colons && i < set->pmu.nr; i++)
        if (strlen(set->pmu.v[i]) == (size_t)(colons - counted) &&
            !strncmp(set->pmu.v[i], counted, (size_t)(colons - counted)))
            *name = colons + 2;
    *length = strlen(*name);
    if (end && !strncmp(counted, "cpu", 3) &&
        !memchr(counted, '=', (size_t)(end - counted))) {
        *name = slash + 1;
        *length = (size_t)(end - slash) - 1;
    }
}

bool metric_event_is(const struct metric_set *set, const struct metric_event *event,
                     const char *counted)
{
    const char *name;
    size_t length;

    if (same_words(event->name, counted, strlen(counted)))
        return true;
    without_pmu(set, counted, &name, &length);
    if (same_words(event->name, name, length))
        return true;
    for (size_t i = 0; i < event->alias.nr; i++)
        if (same_words(event->alias.v[i], name, length) ||
            same_words(event->alias.v[i], counted, strlen(counted)))
            return true;
    return false;
}

int metric_event_find(const struct metric_set *set, const char *name)
{
    for (size_t i = 0; i < set->event_nr; i++)
        if (metric_event_is(set, &set->event[i], name))
            return (int)i;
    return METRIC_NONE;
}

const char *metric_event_word(const struct metric_set *set, const char *name)
{
    const struct metric_event *event =
        strchr(name, '/') ? metric_event_named(set, name) : NULL;

    return event && event->alias.nr ? event->alias.v[0] : name;
}

void metric_events_of(const struct metric_set *set, int metric, struct strvec *out)
{
    const struct strvec *names = formula_names(set->metric[metric].flat);

    for (size_t i = 0; i < names->nr; i++)
        if (metric_event_named(set, names->v[i]))
            strvec_push_once(out, names->v[i]);
}

/* ---- ownership ---- */

static void release_metric(struct metric *metric)
{
    formula_free(metric->formula);
    formula_free(metric->flat);
    formula_free(metric->rest);
    free(metric->name);
    free(metric->text);
    free(metric->unit);
    free(metric->of);
    free(metric->group);
    free(metric->about);
    free(metric->source);
    free(metric->fact);
}

static void release_model(struct metric_model *model)
{
    formula_free(model->rest);
    free(model->name);
    free(model->title);
    free(model->about);
    free(model->source);
}

static void release_event(struct metric_event *event)
{
    free(event->name);
    free(event->note);
    strvec_release(&event->alias);
}

static void release_names(struct metric_set *set)
{
    for (size_t i = 0; i < set->event_nr; i++)
        release_event(&set->event[i]);
    for (size_t i = 0; i < set->event_set_nr; i++) {
        free(set->event_set[i].name);
        strvec_release(&set->event_set[i].event);
    }
    for (size_t i = 0; i < set->absent_nr; i++) {
        free(set->absent[i].name);
        free(set->absent[i].why);
    }
    for (size_t i = 0; i < set->constant_nr; i++) {
        free(set->constant[i].name);
        free(set->constant[i].unit);
        free(set->constant[i].source);
    }
}

static void free_arrays(struct metric_set *set)
{
    free(set->constant);
    free(set->event);
    free(set->event_set);
    free(set->absent);
    free(set->model);
    free(set->metric);
    free(set->identity);
    free(set->warning);
}

void metric_set_free(struct metric_set *set)
{
    if (!set)
        return;
    for (size_t i = 0; i < set->metric_nr; i++)
        release_metric(&set->metric[i]);
    for (size_t i = 0; i < set->model_nr; i++)
        release_model(&set->model[i]);
    for (size_t i = 0; i < set->identity_nr; i++)
        metric_identity_release(&set->identity[i]);
    for (size_t i = 0; i < set->warning_nr; i++)
        metric_warning_release(&set->warning[i]);
    release_names(set);
    free_arrays(set);
    free(set->name);
    free(set->title);
    free(set->path);
    json_decref(set->recognise);
    strvec_release(&set->microarchitecture);
    strvec_release(&set->file);
    strvec_release(&set->pmu);
    strvec_release(&set->source);
    free(set);
}

/* ---- two made one ---- */

/* Moves all items of one array behind those of the other. */
#define TAKE(set, more, item)                                                            \
    do {                                                                                 \
        GROW((set)->item, (set)->item##_nr + (more)->item##_nr, (set)->item##_alloc);    \
        for (size_t i_ = 0; i_ < (more)->item##_nr; i_++)                                \
            (set)->item[(set)->item##_nr++] = (more)->item[i_];                          \
        (more)->item##_nr = 0;                                                           \
    } while (0)

/* What both count is the same event. */
static void take_events(struct metric_set *set, struct metric_set *more)
{
    GROW(set->event, set->event_nr + more->event_nr, set->event_alloc);
    for (size_t i = 0; i < more->event_nr; i++)
        if (metric_event_named(set, more->event[i].name))
            release_event(&more->event[i]);
        else
            set->event[set->event_nr++] = more->event[i];
    more->event_nr = 0;
}

static int check_names(const struct metric_set *set, const struct metric_set *more,
                       struct error *err)
{
    for (size_t i = 0; i < more->metric_nr; i++)
        if (metric_find(set, more->metric[i].name) != METRIC_NONE)
            return fail(err, STATUS_INPUT, "'%s' and '%s' both define the metric '%s'",
                        set->path, more->path, more->metric[i].name);
    for (size_t i = 0; i < more->model_nr; i++)
        for (size_t k = 0; k < set->model_nr; k++)
            if (!strcmp(set->model[k].name, more->model[i].name))
                return fail(err, STATUS_INPUT, "'%s' and '%s' both define the model '%s'",
                            set->path, more->path, more->model[i].name);
    return 0;
}

int metric_set_merge(struct metric_set *set, struct metric_set *more, struct error *err)
{
    int metrics = (int)set->metric_nr, models = (int)set->model_nr;
    int result = check_names(set, more, err);

    for (size_t i = 0; !result && i < more->metric_nr; i++) {
        more->metric[i].parent += more->metric[i].parent == METRIC_NONE ? 0 : metrics;
        more->metric[i].model += more->metric[i].model == METRIC_NONE ? 0 : models;
    }
    if (!result) {
        TAKE(set, more, metric);
        TAKE(set, more, model);
        take_events(set, more);
        TAKE(set, more, event_set);
        TAKE(set, more, constant);
        TAKE(set, more, absent);
        TAKE(set, more, identity);
        TAKE(set, more, warning);
        for (size_t i = 0; i < more->pmu.nr; i++)
            strvec_push_once(&set->pmu, more->pmu.v[i]);
        strvec_push_all(&set->source, &more->source);
    }
    metric_set_free(more);
    return result;
}
