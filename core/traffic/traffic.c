#include "core/traffic/traffic.h"

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
