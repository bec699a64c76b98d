/* The figures as JSON, and under the names that rules use. */
#include <math.h>
#include <string.h>

#include "core/base/array.h"
#include "core/occupancy/occupancy_parts.h"

static json_t *resource_to_json(const struct occupancy_resource *resource)
{
    json_t *object = json_object();
    const struct {
        const char *key;
        struct quantity value;
    } figure[] = {
        {"rate", resource->rate},
        {"hold_ns", resource->residency_ns},
        {"n", resource->n},
        {"limit", resource->limit},
        {"utilization", resource->utilization},
        {"least_s", resource->min_s},
        {"carries_gbs", resource->carries_gbs},
    };

    json_object_set_new(object, "resource",
                        json_string(resource_word(resource->resource)));
    for (size_t i = 0; i < ARRAY_SIZE(figure); i++)
        json_object_set_new(object, figure[i].key, json_quantity(figure[i].value));
    json_object_set_new(object, "fullness",
                        json_string(saturation_word(resource->saturation)));
    return object;
}

json_t *occupancy_to_json(const struct occupancy *now)
{
    json_t *object = json_object(), *resources = json_array();
    const struct {
        const char *key;
        struct quantity value;
    } figure[] = {
        {"bandwidth_gbs", now->bandwidth_gbs},
        {"read_share", now->read_share},
        {"latency_ns", now->latency_ns},
        {"paper_n", now->paper_n},
        {"random_share", now->random_share},
        {"in_flight", now->in_flight},
        {"translation_share", now->translation_share},
        {"l2_hold_ratio", now->l2_residency_ratio},
        {"hugepages_walk_ratio", now->hugepages_walk_ratio},
        {"slack", now->slack},
        {"n_chains", now->n_chains},
        {"n_window", now->n_window},
        {"n_branches", now->n_branches},
    };

    for (size_t i = 0; i < ARRAY_SIZE(figure); i++)
        json_object_set_new(object, figure[i].key, json_quantity(figure[i].value));
    json_object_set_new(object, "busiest", json_string(resource_word(now->busiest)));
    for (int r = 0; r < RESOURCE_NONE; r++)
        json_array_append_new(resources, resource_to_json(&now->resource[r]));
    json_object_set_new(object, "resources", resources);
    json_object_set_new(object, "cause", diagnosis_to_json(&now->diagnosis));
    return object;
}

/* The queue that the paper compares with. */
static struct quantity queue_utilization(const struct occupancy *now)
{
    enum resource queue = now->random ? RESOURCE_L1_QUEUE : RESOURCE_L2_QUEUE;

    if (!now->random_share.known ||
        now->resource[queue].saturation == SATURATION_IMPOSSIBLE)
        return quantity_unknown();
    return quantity_min(quantity_divide(now->paper_n, now->resource[queue].limit),
                        quantity_exact(1, PROVENANCE_DERIVED));
}

static struct quantity store_share(const struct occupancy *now)
{
    return quantity_subtract(quantity_exact(1, now->read_share.provenance),
                             now->read_share);
}

static void send_ratios(const struct occupancy *now, const struct occupancy_sink *sink)
{
    const struct {
        const char *metric;
        struct quantity value;
    } figure[] = {
        {"slack", now->slack},
        {"queue_utilization", queue_utilization(now)},
        {"paper_occupancy", now->paper_n},
        {"in_flight", now->in_flight},
        {"l2_over_l1", quantity_divide(now->resource[RESOURCE_L2_QUEUE].limit,
                                       now->resource[RESOURCE_L1_QUEUE].limit)},
        {"l2_hold_ratio", now->l2_residency_ratio},
        {"random_share", now->random_share},
        {"translation_share", now->translation_share},
        {"hugepages_walk_ratio", now->hugepages_walk_ratio},
        {"bandwidth_gbs", now->bandwidth_gbs},
        {"latency_ns", now->latency_ns},
        {"read_share", now->read_share},
        {"store_share", store_share(now)},
    };

    for (size_t i = 0; i < ARRAY_SIZE(figure); i++)
        sink->number(sink->context, figure[i].metric, figure[i].value);
}

/* No rule reads figures that cannot be. */
static struct quantity believed(const struct occupancy_resource *resource,
                                struct quantity figure)
{
    return resource->saturation == SATURATION_IMPOSSIBLE ? quantity_unknown() : figure;
}

struct quantity occupancy_cause_gain(const struct occupancy *now)
{
    double gain = 1 / fmax(1 - now->diagnosis.share, 0.01);

    return now->diagnosis.is_modelled
               ? quantity_between(gain, fmax(gain / 1.25, 1), gain * 1.25, 0,
                                  PROVENANCE_DERIVED)
               : quantity_unknown();
}

void occupancy_metrics(const struct occupancy *now, const struct occupancy_sink *sink)
{
    static const char *const utilization[] = {
        [RESOURCE_L1_QUEUE] = "l1_utilization",
        [RESOURCE_L2_QUEUE] = "l2_utilization",
        [RESOURCE_PAGE_WALKERS] = "walker_utilization",
        [RESOURCE_MEMORY] = "memory_utilization",
        [RESOURCE_L2_LINK] = "l2_link_utilization",
        [RESOURCE_L3_LINK] = "l3_link_utilization",
        [RESOURCE_ARITHMETIC] = "arithmetic_utilization",
    };
    const struct occupancy_resource *l1 = &now->resource[RESOURCE_L1_QUEUE];
    const struct occupancy_resource *l2 = &now->resource[RESOURCE_L2_QUEUE];

    for (size_t r = 0; r < ARRAY_SIZE(utilization); r++)
        sink->number(sink->context, utilization[r],
                     believed(&now->resource[r], now->resource[r].utilization));
    sink->number(sink->context, "l1_occupancy", believed(l1, entries_of(l1)));
    sink->number(sink->context, "l2_occupancy", believed(l2, entries_of(l2)));
    sink->number(sink->context, "l1_limit", l1->limit);
    sink->number(sink->context, "l2_limit", l2->limit);
    send_ratios(now, sink);
    sink->word(sink->context, "cause", cause_word(now->diagnosis.cause));
    sink->number(sink->context, "cause_gain", occupancy_cause_gain(now));
}
