/* Misses in flight over time: bandwidth x latency at that bandwidth, per busy core. */
#include <math.h>

#include "core/occupancy/occupancy.h"
#include "observe/report/timeline_show.h"

static const double busy_least = 0.1;

static double at(const struct timeline_event *event, size_t bin)
{
    return event ? event->value[bin] : NAN;
}

static double in_flight(const struct machine *machine, double read_gbs,
                        double written_gbs, double busy)
{
    double written = isnan(written_gbs) ? 0 : written_gbs, gbs = read_gbs + written;
    struct quantity latency;
    if (isnan(gbs) || !(busy >= busy_least) || !(gbs > 0))
        return NAN;
    latency = machine_latency_ns(machine, gbs, read_gbs / gbs);
    if (!latency.known)
        return NAN;
    return occupancy_paper_n(gbs, latency.value, machine_transfer_bytes(machine), 1) /
           busy;
}

void timeline_add_occupancy(struct timeline *timeline, const struct machine *machine)
{
    if (!timeline_find(timeline, "memory:::read"))
        return;
    struct timeline_event event = {.name = (char[]){"occupancy:::in_flight"},
                                   .label = (char[]){"misses in flight"},
                                   .unit = (char[]){"a core"},
                                   .source = (char[]){"memory x latency"},
                                   .kind = TIMELINE_LEVEL,
                                   .factor = 1,
                                   .stock = true};
    size_t place = timeline_add_event(timeline, &event);
    const struct timeline_event *read = timeline_find(timeline, "memory:::read");
    const struct timeline_event *written = timeline_find(timeline, "memory:::written");
    const struct timeline_event *busy = timeline_find(timeline, "perf::TASK-CLOCK");
    if (!busy)
        busy = timeline_find(timeline, "proc:::cpu");
    for (size_t i = 0; i < timeline->bin_nr; i++)
        timeline->event[place].value[i] =
            in_flight(machine, at(read, i), at(written, i), at(busy, i));
}
