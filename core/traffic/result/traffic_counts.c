/* What a call moves, as counts: what formulas over events ask for. */
#include <stdlib.h>
#include <string.h>

#include "core/traffic/counters/traffic_events.h"

static void add(const struct traffic *traffic, const struct traffic_event *event,
                struct count_set *set)
{
    char *name = xasprintf("sde:::inflight::%s", event->name), *why;
    struct quantity value = event->value(traffic);

    if (value.known) {
        count_set_add(set, name, value, 1);
    } else {
        why = event->level < traffic->level_nr
                  ? xasprintf("it is not known of this call")
                  : xasprintf("the machine has %d levels of cache", traffic->level_nr);
        count_set_add_unknown(set, name, why);
        free(why);
    }
    free(name);
}

static const char line_bytes[] = "sde:::inflight::LINE_BYTES";

bool count_adds_up(const char *event)
{
    return strcmp(event, line_bytes) != 0;
}

void traffic_to_counts(const struct traffic *traffic, struct count_set *set)
{
    for (size_t i = 0; i < TRAFFIC_EVENT_NR; i++)
        add(traffic, &traffic_events[i], set);
    count_set_add(set, line_bytes,
                  quantity_exact(traffic->line_bytes, traffic->provenance), 1);
    set->calls = 1;
    set->source = xstrdup("cache model");
    if (traffic->note)
        strvec_push(&set->note, traffic->note);
}
