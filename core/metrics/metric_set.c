/* A set of definitions: what is in it, by name. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/metrics/metric_parts.h"
#include "core/traffic/traffic.h"

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
