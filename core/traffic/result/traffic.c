#include "core/traffic/traffic.h"

#include <math.h>
#include <stdlib.h>

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
