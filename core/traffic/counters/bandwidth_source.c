#include "core/traffic/counters/bandwidth_source.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/*
 * Reading.
 */

static int read_scope(const struct json_at *at, enum bandwidth_scope *scope,
                      struct error *err)
{
    static const char *const words[] = {
#define X(name, word) word,
        BANDWIDTH_SCOPE_MAP(X)
#undef X
    };
    const char *word;

    if (json_string_at(at, "scope", &word, err))
        return -1;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (strcmp(word, words[i]) == 0) {
            *scope = (enum bandwidth_scope)i;
            return 0;
        }
    return json_fail(at, err, "no scope '%s'", word);
}

static int read_event(const struct json_at *at, void *into, struct error *err)
{
    struct bandwidth_event *event = (struct bandwidth_event *)into + at->index;
    const char *name;

    event->boxes = 1;
    if (json_only_keys(at, "name boxes aliases", err) ||
        json_string_at(at, "name", &name, err) ||
        (json_has(at, "boxes") &&
         json_integer_at(at, "boxes", 1, 64, &event->boxes, err)) ||
        (json_has(at, "aliases") && json_strings_at(at, "aliases", &event->alias, err)))
        return -1;
    event->name = xstrdup(name);
    return 0;
}

static int read_events(const struct json_at *at, struct bandwidth_source *source,
                       struct error *err)
{
    source->event_nr = json_size_at(at, "events");
    source->event = xcalloc(source->event_nr + 1, sizeof(*source->event));
    return json_each(at, "events", 0, SIZE_MAX, read_event, source->event, err);
}

static bool asks_for(const struct formula *formula, const char *name)
{
    return strvec_has(formula_names(formula), name);
}

static const struct bandwidth_event *find_event(const struct bandwidth_source *source,
                                                const char *name)
{
    for (size_t i = 0; i < source->event_nr; i++)
        if (strcmp(source->event[i].name, name) == 0)
            return &source->event[i];
    return NULL;
}

static int read_formula(const struct json_at *at, const char *key,
                        const struct bandwidth_source *source, struct formula **formula,
                        struct error *err)
{
    const char *text;

    if (json_string_at(at, key, &text, err))
        return -1;
    if (formula_parse(text, formula, err)) {
        fail_in(err, "%s: %s", at->file, key);
        return -1;
    }
    for (size_t i = 0; i < formula_names(*formula)->nr; i++)
        if (!find_event(source, formula_names(*formula)->v[i]))
            return json_fail(at, err, "%s asks for '%s', which is none of the events",
                             key, formula_names(*formula)->v[i]);
    return 0;
}

static int read_formulas(const struct json_at *at, struct bandwidth_source *source,
                         struct error *err)
{
    source->together = json_has(at, "total_bytes");
    if (source->together
            ? read_formula(at, "total_bytes", source, &source->read, err)
            : read_formula(at, "read_bytes", source, &source->read, err) ||
                  (json_has(at, "write_bytes") &&
                   read_formula(at, "write_bytes", source, &source->write, err)))
        return -1;
    for (size_t i = 0; i < source->event_nr; i++)
        if (!asks_for(source->read, source->event[i].name) &&
            !(source->write && asks_for(source->write, source->event[i].name)))
            return json_fail(at, err, "no formula needs the event '%s'",
                             source->event[i].name);
    return 0;
}

static int read_source(const struct json_at *at, struct bandwidth_source *source,
                       struct error *err)
{
    if (json_only_keys(at,
                       "scope events read_bytes write_bytes total_bytes "
                       "writebacks_included source remark",
                       err) ||
        read_scope(at, &source->scope, err) || read_events(at, source, err) ||
        read_formulas(at, source, err) ||
        json_bool_at(at, "writebacks_included", &source->writebacks_included, err) ||
        json_copy_at(at, "source", &source->source, err))
        return -1;
    return json_copy_if(at, "remark", &source->remark, err);
}

int bandwidth_source_read(const struct json_at *at, struct bandwidth_source *source,
                          struct error *err)
{
    *source = (struct bandwidth_source){0};
    if (read_source(at, source, err) == 0)
        return 0;
    bandwidth_source_release(source);
    return -1;
}

void bandwidth_source_release(struct bandwidth_source *source)
{
    for (size_t i = 0; i < source->event_nr; i++) {
        free(source->event[i].name);
        strvec_release(&source->event[i].alias);
    }
    free(source->event);
    formula_free(source->read);
    formula_free(source->write);
    free(source->source);
    free(source->remark);
    *source = (struct bandwidth_source){0};
}

/*
 * Counts to bytes.
 */

static size_t digits(const char *text)
{
    return strspn(text, "0123456789");
}

bool bandwidth_names(const char *pattern, const char *event)
{
    for (; *pattern; pattern++, event++) {
        if (*pattern == '%' && (pattern[1] == 'd' || pattern[1] == 'c')) {
            size_t number = digits(event);

            if (number == 0)
                return false;
            event += number - 1;
            pattern++;
        } else if (tolower((unsigned char)*pattern) != tolower((unsigned char)*event)) {
            return false;
        }
    }
    return !*event || count_is_modifier(event);
}

/* Sum over all entries of that name; false if there is none. Boxes have no common error.
 */
static bool sum_named(const struct count_set *set, const char *pattern,
                      struct quantity *sum)
{
    bool found = false;

    for (size_t i = 0; i < set->count_nr; i++) {
        if (!bandwidth_names(pattern, set->count[i].event))
            continue;
        *sum = found ? quantity_add_independent(*sum, set->count[i].value)
                     : set->count[i].value;
        found = true;
    }
    return found;
}

struct lookup {
    const struct bandwidth_source *source;
    const struct count_set *set;
};

/* Under the first of its names that is there, lest one count is taken twice. */
static struct quantity count_of(void *data, const char *name)
{
    const struct lookup *lookup = data;
    const struct bandwidth_event *event = find_event(lookup->source, name);
    struct quantity sum = quantity_unknown();

    if (sum_named(lookup->set, name, &sum))
        return sum;
    for (size_t i = 0; i < event->alias.nr; i++)
        if (sum_named(lookup->set, event->alias.v[i], &sum))
            break;
    return sum;
}

/* Why the first missing event is unknown, if the set tells. */
static int say_missing(const struct count_set *set, const struct strvec *missing,
                       struct error *why, struct error *err)
{
    if (!missing->nr)
        return fail(err, why->status, "%s", why->text);
    for (size_t i = 0; i < set->count_nr; i++)
        if (bandwidth_names(missing->v[0], set->count[i].event) && set->count[i].why)
            return fail(err, STATUS_MISSING, "'%s' was not counted: %s",
                        set->count[i].event, set->count[i].why);
    return fail(err, STATUS_MISSING, "'%s' is not among the counts", missing->v[0]);
}

int bandwidth_source_bytes(const struct bandwidth_source *source,
                           const struct count_set *set, struct quantity *read_bytes,
                           struct quantity *write_bytes, struct error *err)
{
    struct lookup lookup = {source, set};
    struct strvec missing = {0};
    struct error why = {0};
    bool known;

    *write_bytes = quantity_unknown();
    *read_bytes = formula_value(source->read, count_of, &lookup, &missing, &why);
    known = read_bytes->known;
    if (known && source->write) {
        *write_bytes = formula_value(source->write, count_of, &lookup, &missing, &why);
        known = write_bytes->known;
    }
    if (!known) {
        *read_bytes = *write_bytes = quantity_unknown();
        say_missing(set, &missing, &why, err);
    }
    strvec_release(&missing);
    return known ? 0 : -1;
}
