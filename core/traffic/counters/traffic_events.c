#include "core/traffic/counters/traffic_events.h"

static struct traffic_edge edge(const struct traffic *traffic, int level)
{
    return level >= 0 && level < traffic->level_nr ? traffic->edge[level]
                                                   : (struct traffic_edge){0};
}

/* Nothing comes from a level that there is not. */
static struct quantity from(const struct traffic *traffic, int level)
{
    return level < traffic->level_nr ? traffic->l1_from[level - 1]
                                     : quantity_exact(0, traffic->provenance);
}

static struct quantity from_memory(const struct traffic *traffic)
{
    return traffic->level_nr > 0 ? traffic->l1_from[traffic->level_nr - 1]
                                 : quantity_unknown();
}

static struct quantity covered_from_memory(const struct traffic *traffic)
{
    return traffic->level_nr > 0 ? traffic->l1_covered_from[traffic->level_nr - 1]
                                 : quantity_unknown();
}

#define X(name, figure, needs, description)                                              \
    static struct quantity value_##name(const struct traffic *traffic)                   \
    {                                                                                    \
        return figure;                                                                   \
    }
TRAFFIC_EVENT_MAP(X)
#undef X

const struct traffic_event traffic_events[TRAFFIC_EVENT_NR] = {
#define X(name, figure, needs, description) {#name, description, needs, value_##name},
    TRAFFIC_EVENT_MAP(X)
#undef X
};
