#include "advisor/sweep/series.h"

#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "search/session/measured.h"
#include "variants/kernel/kernel_view.h"

static const char *const keys[] = {
#define X(name, unit, key) key,
    FIGURE_MAP(X)
#undef X
};

const char *figure_key(enum figure figure)
{
    return keys[figure];
}

void series_start(struct series *series, struct sweep_axes *axes)
{
    *series = (struct series){.axes = *axes,
                              .l1_mshrs = quantity_unknown(),
                              .l2_mshrs = quantity_unknown(),
                              .memory_gbs = quantity_unknown()};
    *axes = (struct sweep_axes){0};
    series->point_nr = sweep_axes_points(&series->axes);
    series->point = xcalloc(series->point_nr + 1, sizeof(*series->point));
    for (size_t i = 0; i < series->point_nr; i++) {
        sweep_axes_at(&series->axes, i, series->point[i].value);
        for (size_t f = 0; f < FIGURE_NR; f++)
            series->point[i].figure[f] = quantity_unknown();
    }
}

static void point_release(struct series_point *point)
{
    free(point->reason);
    free(point->cause);
    free(point->busiest);
    free(point->traffic_from);
}

void series_release(struct series *series)
{
    for (size_t i = 0; i < series->point_nr; i++)
        point_release(&series->point[i]);
    free(series->point);
    sweep_axes_release(&series->axes);
    json_decref(series->head);
    free(series->title);
    free(series->subtitle);
    *series = (struct series){0};
}

size_t series_done(const struct series *series)
{
    size_t done = 0;
    for (size_t i = 0; i < series->point_nr; i++)
        done += series->point[i].state != POINT_PENDING;
    return done;
}

void point_failed(struct series_point *point, const char *reason)
{
    free(point->reason);
    point->reason = xstrdup(reason);
    point->state = POINT_FAILED;
}

/* ---- from a measurement ---- */

static void take_traffic(struct series_point *point, const struct traffic *traffic)
{
    static const enum figure first[TRAFFIC_LEVELS_MAX] = {FIGURE_L1_HITS, FIGURE_L2_HITS,
                                                          FIGURE_L3_HITS, FIGURE_L4_HITS};
    for (int k = 0; k < traffic->level_nr; k++) {
        const struct traffic_edge *edge = &traffic->edge[k];
        const struct quantity level[] = {edge->hits, edge->fills, edge->covered,
                                         edge->writebacks};
        for (size_t i = 0; i < ARRAY_SIZE(level); i++)
            point->figure[(size_t)first[k] + i] = level[i];
    }
    point->figure[FIGURE_READ] = traffic_read_bytes(traffic);
    point->figure[FIGURE_WRITTEN] = traffic_write_bytes(traffic);
    point->figure[FIGURE_WALKS] = traffic->page_walks;
    point->figure[FIGURE_STREAMED] = traffic->nontemporal_lines;
    point->figure[FIGURE_INSTRUCTIONS] = traffic->instructions;
    point->traffic_from = xstrdup(provenance_word(traffic->provenance));
}

static void take_occupancy(struct series_point *point, const struct occupancy *now)
{
    const struct occupancy_resource *resource = now->resource;
    const struct {
        enum figure figure;
        struct quantity value;
    } figures[] = {
        {FIGURE_BANDWIDTH, now->bandwidth_gbs},
        {FIGURE_LATENCY, now->latency_ns},
        {FIGURE_N, now->paper_n},
        {FIGURE_IN_FLIGHT, now->in_flight},
        {FIGURE_RANDOM, now->random_share},
        {FIGURE_L1_QUEUE_N, resource[RESOURCE_L1_QUEUE].n},
        {FIGURE_L2_QUEUE_N, resource[RESOURCE_L2_QUEUE].n},
        {FIGURE_L1_QUEUE_USE, resource[RESOURCE_L1_QUEUE].utilization},
        {FIGURE_L2_QUEUE_USE, resource[RESOURCE_L2_QUEUE].utilization},
        {FIGURE_WALKERS_USE, resource[RESOURCE_PAGE_WALKERS].utilization},
        {FIGURE_MEMORY_USE, resource[RESOURCE_MEMORY].utilization},
        {FIGURE_L2_LINK_USE, resource[RESOURCE_L2_LINK].utilization},
        {FIGURE_L3_LINK_USE, resource[RESOURCE_L3_LINK].utilization},
        {FIGURE_ARITHMETIC_USE, resource[RESOURCE_ARITHMETIC].utilization},
        {FIGURE_SLACK, now->slack},
    };
    for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
        point->figure[figures[i].figure] = figures[i].value;
    point->cause = xstrdup(cause_word(now->diagnosis.cause));
    point->busiest = xstrdup(resource_word(now->busiest));
}

static void take_time(struct series_point *point, const struct measurement *measurement,
                      const struct kernel_counts *counts)
{
    struct quantity ns = quantity_scale(measurement->time_s, 1e9);
    struct quantity flops = measurement->has_traffic && measurement->traffic.flops.known
                                ? measurement->traffic.flops
                                : counts->flops;
    point->figure[FIGURE_TIME] = ns;
    point->figure[FIGURE_PER_ITERATION] = quantity_divide(ns, counts->iterations);
    point->figure[FIGURE_ARRAYS] =
        quantity_exact(counts->footprint_bytes, PROVENANCE_SOURCE);
    point->figure[FIGURE_FLOPS] = flops;
    point->figure[FIGURE_FLOP_RATE] = quantity_divide(flops, ns);
    point->samples = measurement->sample_nr;
    point->launches = measurement->launches;
    point->disturbed = measurement->disturbed_nr;
}

void point_take(struct series_point *point, const struct measurement *measurement,
                const struct kernel_counts *counts)
{
    if (measurement->outcome != RUN_OUTCOME_OK || !measurement->time_s.known) {
        char *reason = xasprintf("%s%s%s", run_outcome_word(measurement->outcome),
                                 measurement->detail ? ": " : "",
                                 measurement->detail ? measurement->detail : "");
        point_failed(point, reason);
        free(reason);
        return;
    }
    point->state = POINT_MEASURED;
    take_time(point, measurement, counts);
    if (measurement->has_traffic)
        take_traffic(point, &measurement->traffic);
    if (measurement->has_occupancy)
        take_occupancy(point, &measurement->occupancy);
}
