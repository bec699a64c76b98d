/* inflight.counts/1 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/fs.h"
#include "core/traffic/counts/counts.h"
#include "core/traffic/traffic.h"

/* ---- writing ---- */

static json_t *event_json(const struct event_count *count)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "event", text_json(count->event),
                     "value", json_number_or_null(count->value.value), "low",
                     json_number_or_null(count->value.low), "high",
                     json_number_or_null(count->value.high), "share",
                     count->share > 0 ? json_real(count->share) : json_null(), "why",
                     text_json(count->why));
}

json_t *count_set_to_json(const struct count_set *set)
{
    json_t *events = json_array();
    for (size_t i = 0; i < set->count_nr; i++)
        json_array_append_new(events, event_json(&set->count[i]));
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema",
                     "inflight.counts/1", "source", text_json(set->source), "cpu",
                     text_json(set->cpu), "seconds", json_quantity(set->seconds), "cores",
                     set->cores > 0 ? json_integer(set->cores) : json_null(), "calls",
                     set->calls > 0 ? json_real(set->calls) : json_null(), "events",
                     events, "notes", json_strvec(&set->note));
}

/* ---- reading ---- */

/* The interval of the share, or what is written. */
static int read_value(const struct json_at *at, double share, struct quantity *out,
                      struct error *err)
{
    double value = 0;
    if (json_number_at(at, "value", 0, INFINITY, &value, err))
        return -1;
    *out = count_quantity(value, share, 0);
    if (json_number_if(at, "low", 0, INFINITY, &out->low, err) ||
        json_number_if(at, "high", 0, INFINITY, &out->high, err))
        return -1;
    if (!(out->low <= value && value <= out->high))
        return json_fail(at, err, "expected low <= value <= high, got %g, %g, %g",
                         out->low, value, out->high);
    return 0;
}

static int add_event(const struct json_at *at, const char *event, struct count_set *set,
                     struct error *err)
{
    struct quantity value = quantity_unknown();
    double share = 0;
    char *why = NULL;
    int status = 0;
    if (!*event)
        return json_fail(at, err, "the event's name is missing");
    if (count_set_find(set, event))
        return json_fail(at, err, "the event \"%s\" is there already", event);
    if (json_number_if(at, "share", 0, 1, &share, err) ||
        json_copy_if(at, "why", &why, err))
        return -1;
    if (!json_has(at, "value"))
        count_set_add_unknown(set, event, why ? why : "no count is given");
    else if (!(status = read_value(at, share, &value, err)))
        count_set_add(set, event, value, share);
    free(why);
    return status;
}

static int read_event(const struct json_at *at, void *into, struct error *err)
{
    struct count_set *set = into;
    const char *event = NULL;
    return json_only_keys(at, "event value low high share why", err) ||
                   json_string_at(at, "event", &event, err) ||
                   add_event(at, event, set, err)
               ? -1
               : 0;
}

/* {"read_bytes": 1e9}, as somebody writes it by hand. */
static int read_short(const struct json_at *events, struct count_set *set,
                      struct error *err)
{
    const char *key;
    json_t *node;
    json_object_foreach((json_t *)(uintptr_t)events->node, key, node) {
        double value = 0;
        if (json_is_null(node))
            count_set_add_unknown(set, key, "no count is given");
        else if (json_number_at(events, key, 0, INFINITY, &value, err))
            return -1;
        else
            count_set_add(set, key, quantity_exact(value, PROVENANCE_RECORDED), 0);
    }
    return 0;
}

static int read_events(const struct json_at *at, struct count_set *set, struct error *err)
{
    struct json_at events = {0};
    if (json_member(at, "events", &events, err))
        return -1;
    return json_is_object(events.node)
               ? read_short(&events, set, err)
               : json_each(at, "events", 0, SIZE_MAX, read_event, set, err);
}

/* A plain number, or a quantity. */
static int read_seconds(const struct json_at *at, struct count_set *set,
                        struct error *err)
{
    double seconds = 0;
    if (!json_has(at, "seconds"))
        return 0;
    if (json_is_object(json_object_get(at->node, "seconds"))) {
        if (json_quantity_at(at, "seconds", &set->seconds, err))
            return -1;
        return set->seconds.value > 0 ? 0
                                      : json_fail(at, err, "seconds: expected above 0");
    }
    if (json_number_at(at, "seconds", 1e-9, 1e9, &seconds, err))
        return -1;
    set->seconds = quantity_exact(seconds, PROVENANCE_RECORDED);
    return 0;
}

static int read_notes(const struct json_at *at, struct count_set *set, struct error *err)
{
    return json_has(at, "notes") ? json_strings_at(at, "notes", &set->note, err) : 0;
}

static int read_set(const struct json_at *at, struct count_set *set, struct error *err)
{
    long long cores = 0;
    if (json_only_keys(at, "schema source cpu seconds cores calls events notes", err) ||
        json_copy_if(at, "source", &set->source, err) ||
        json_copy_if(at, "cpu", &set->cpu, err) || read_seconds(at, set, err) ||
        json_number_if(at, "calls", 0, 1e18, &set->calls, err) ||
        (json_has(at, "cores") && json_integer_at(at, "cores", 1, 100000, &cores, err)) ||
        read_events(at, set, err))
        return -1;
    set->cores = (int)cores;
    if (!set->source)
        set->source = xstrdup(path_base(at->file));
    return read_notes(at, set, err);
}

int count_set_from_json(const struct json_at *at, struct count_set *set,
                        struct error *err)
{
    struct count_set out = {.seconds = quantity_unknown()};
    int status = read_set(at, &out, err);
    if (status)
        count_set_release(&out);
    *set = out;
    return status;
}
