#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/traffic/counters/traffic_events.h"
#include "core/traffic/traffic.h"

static void parts_free(struct traffic_part *part, size_t nr)
{
    for (size_t i = 0; i < nr; i++)
        free(part[i].name);
    free(part);
}

void traffic_release(struct traffic *traffic)
{
    parts_free(traffic->array, traffic->array_nr);
    parts_free(traffic->site, traffic->site_nr);
    free(traffic->note);
    *traffic = (struct traffic){0};
}

static void span(struct quantity *to, struct quantity other)
{
    if (!to->known || !other.known)
        return;
    to->low = fmin(to->low, other.low);
    to->high = fmax(to->high, other.high);
}

void traffic_span(struct traffic *traffic, const struct traffic *other)
{
    for (int k = 0; k < traffic->level_nr && k < other->level_nr; k++) {
        struct traffic_edge *edge = &traffic->edge[k];

        span(&edge->fills, other->edge[k].fills);
        span(&edge->covered, other->edge[k].covered);
        span(&edge->software, other->edge[k].software);
        span(&edge->writebacks, other->edge[k].writebacks);
        span(&edge->hits, other->edge[k].hits);
        span(&traffic->l1_from[k], other->l1_from[k]);
        span(&traffic->l1_covered_from[k], other->l1_covered_from[k]);
    }
}

static const struct traffic_edge *memory_edge(const struct traffic *traffic)
{
    return traffic->level_nr > 0 ? &traffic->edge[traffic->level_nr - 1] : NULL;
}

bool traffic_is_beginning(const struct traffic *traffic)
{
    return traffic->provenance == PROVENANCE_MODEL && traffic->traced_share <= 0;
}

struct quantity traffic_read_bytes(const struct traffic *traffic)
{
    const struct traffic_edge *edge = memory_edge(traffic);

    return edge ? quantity_scale(edge->fills, traffic->line_bytes) : quantity_unknown();
}

struct quantity traffic_write_bytes(const struct traffic *traffic)
{
    const struct traffic_edge *edge = memory_edge(traffic);
    struct quantity lines;

    if (!edge)
        return quantity_unknown();
    lines = edge->writebacks;
    if (traffic->nontemporal_lines.known) /* counters do not tell them apart */
        lines = quantity_add(lines, traffic->nontemporal_lines);
    return quantity_scale(lines, traffic->line_bytes);
}

/* What a call moves, as counts: what formulas over events ask for. */
static void add(const struct traffic *traffic, const struct traffic_event *event,
                struct count_set *set)
{
    char *name = xasprintf("sde:::inflight::%s", event->name), *why;
    struct quantity value = event->value(traffic);

    if (value.known) {
        count_set_add(set, name, value, 1);
    } else {
        why = event->level < traffic->level_nr
                  ? xasprintf("it is not known for this call")
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
