/* The report on regions as inflight.regions/1. */
#include <math.h>
#include <stdlib.h>

#include "advisor/cli/cli.h"
#include "observe/report/regions_report.h"

static json_t *counts_json(const struct region_profile *profile,
                           const struct region_numbers *numbers)
{
    json_t *counts = json_object();
    for (size_t i = 0; i < profile->event_nr; i++) {
        json_t *name = text_json(profile->event[i]);
        json_object_set_new(counts, json_string_value(name),
                            json_real(numbers->count[i]));
        json_decref(name);
    }
    return counts;
}

/* null where the system was not asked. */
static json_t *asked_json(const struct region_numbers *numbers)
{
    if (!(numbers->asked_s > 0))
        return json_null();
    return json_pack("{s:f, s:f, s:f, s:f, s:f}", "covered_s", numbers->asked_s,
                     "processor_s", numbers->processor_s, "minor_faults",
                     numbers->minor_faults, "major_faults", numbers->major_faults,
                     "context_switches", numbers->switches);
}

static json_t *declared_json(const struct region_numbers *numbers)
{
    if (!(numbers->declared > 0))
        return json_null();
    return json_pack("{s:f, s:f, s:f}", "times", numbers->declared, "read_bytes",
                     numbers->read_bytes, "write_bytes", numbers->write_bytes);
}

static json_t *numbers_json(const struct region_profile *profile,
                            const struct region_numbers *numbers)
{
    return json_pack(
        "{s:f, s:f, s:f, s:f, s:o, s:o, s:o, s:o, s:o, s:o}", "calls", numbers->calls,
        "unfinished_calls", numbers->unfinished, "thread_s", numbers->thread_s,
        "own_thread_s", numbers->own_s, "least_call_s",
        numbers->calls > 0 ? json_real(numbers->min_s) : json_null(), "most_call_s",
        numbers->calls > 0 ? json_real(numbers->max_s) : json_null(), "declared",
        declared_json(numbers), "random_share",
        numbers->random_share >= 0 ? json_real(numbers->random_share) : json_null(),
        "system", asked_json(numbers), "counts", counts_json(profile, numbers));
}

static json_t *paths_json(const struct region_profile *profile)
{
    json_t *list = json_array();
    for (size_t i = 0; i < profile->path_nr; i++) {
        const struct region_path *path = &profile->path[i];
        json_t *one =
            json_pack("{s:o, s:o, s:i}", "region", text_json(path->name), "within",
                      path->parent == SIZE_MAX ? json_null()
                                               : json_integer((json_int_t)path->parent),
                      "depth", path->depth);
        json_t *numbers = numbers_json(profile, &path->numbers);
        json_object_update(one, numbers);
        json_decref(numbers);
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *spread_json(const struct region_spread *spread)
{
    if (!spread->nr)
        return json_null();
    return json_pack("{s:I, s:f, s:f, s:f}", "number", (json_int_t)spread->nr, "least_s",
                     spread->min, "mean_s", spread->mean, "most_s", spread->max);
}

static json_t *mistakes_json(const struct region *region)
{
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "ended_not_begun",
                     region->unbegun, "crossed", region->crossed, "end_forgotten",
                     region->forgotten, "open_at_thread_end", region->abandoned,
                     "open_at_program_end", region->left_open, "told_while_not_open",
                     region->outside, "told_impossible", region->impossible);
}

static json_t *stays_json(const struct region *region)
{
    json_t *list = json_array();
    for (size_t i = 0; i < region->stay_nr; i++)
        json_array_append_new(list, json_pack("{s:I, s:f}", "process",
                                              (json_int_t)region->stay[i].process,
                                              "wall_s", region->stay[i].wall_s));
    return list;
}

static void add_answer(const struct region_answer *answer, json_t *one)
{
    json_object_set_new(one, "read_gbs", json_quantity(answer->read_gbs));
    json_object_set_new(one, "write_gbs", json_quantity(answer->write_gbs));
    json_object_set_new(one, "bytes_source", text_json(answer->given.source));
    json_object_set_new(one, "cores_busy", json_quantity(answer->cores));
    json_object_set_new(
        one, "cores_source",
        json_string(answer->by_processor_time ? "processor time" : "marked threads"));
    json_object_set_new(one, "occupancy_unknown", text_json(answer->why_not));
    json_object_set_new(one, "report",
                        answer->why_not ? json_null() : answer_json(&answer->answer));
}

static json_t *region_json(const struct regions_report *report, size_t i)
{
    const struct region *region = &report->profile.region[i];
    json_t *one = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:o}", "name", text_json(region->name),
        "wall_s", json_quantity(region->wall_s), "share",
        report->wall_s > 0 ? json_real(region->wall_s.value / report->wall_s)
                           : json_null(),
        "threads", spread_json(&region->thread), "processes",
        spread_json(&region->process), "by_process", stays_json(region), "marker_pairs",
        region->pairs, "marker_share", region_marker_share(region), "mistakes",
        mistakes_json(region));
    json_t *numbers = numbers_json(&report->profile, &region->numbers);
    json_object_update(one, numbers);
    json_decref(numbers);
    add_answer(&report->answer[i], one);
    return one;
}

static json_t *processes_json(const struct region_profile *profile)
{
    json_t *list = json_array();
    for (size_t i = 0; i < profile->process_nr; i++) {
        const struct region_process *process = &profile->process[i];
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:I, s:f, s:b, s:I, s:f, s:f, s:o}", "host",
                            text_json(process->host), "program",
                            text_json(process->program), "pid", (json_int_t)process->pid,
                            "wall_s", process->wall_s, "came_to_its_end", process->ended,
                            "threads", (json_int_t)process->threads, "marker_pair_ns",
                            process->pair_ns, "empty_region_ns", process->empty_ns,
                            "no_events", text_json(process->why)));
    }
    return list;
}

json_t *regions_json(const struct regions_report *report)
{
    const struct region_profile *profile = &report->profile;
    json_t *regions = json_array();
    for (size_t i = 0; i < profile->region_nr; i++)
        json_array_append_new(regions, region_json(report, i));
    return json_pack("{s:s, s:s, s:o, s:o, s:f, s:o, s:I, s:o, s:o, s:o, s:o}", "schema",
                     "inflight.regions/1", "version", INFLIGHT_VERSION, "program",
                     text_json(report->program), "ended", text_json(report->ended),
                     "wall_s", report->wall_s, "machine", text_json(report->machine),
                     "hosts", (json_int_t)profile->hosts, "processes",
                     processes_json(profile), "regions", regions, "paths",
                     paths_json(profile), "notes", json_strvec(&report->note));
}
