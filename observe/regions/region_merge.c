/* From what the threads of a process counted to call paths and regions of all. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "observe/regions/region_parts.h"

static void spread_add(struct region_spread *spread, double value)
{
    spread->least = spread->nr ? fmin(spread->least, value) : value;
    spread->most = spread->nr ? fmax(spread->most, value) : value;
    spread->nr++;
    spread->mean += (value - spread->mean) / (double)spread->nr;
}

static size_t find_path(struct region_profile *profile, size_t parent, const char *name)
{
    for (size_t i = 0; i < profile->path_nr; i++)
        if (profile->path[i].parent == parent && !strcmp(profile->path[i].name, name))
            return i;
    GROW(profile->path, profile->path_nr + 1, profile->path_alloc);
    profile->path[profile->path_nr] = (struct region_path){
        .name = xstrdup(name),
        .parent = parent,
        .depth = parent == SIZE_MAX ? 0 : profile->path[parent].depth + 1,
        .numbers.random_share = -1};
    return profile->path_nr++;
}

static struct region *find_region(struct region_profile *profile, const char *name)
{
    for (size_t i = 0; i < profile->region_nr; i++)
        if (!strcmp(profile->region[i].name, name))
            return &profile->region[i];
    GROW(profile->region, profile->region_nr + 1, profile->region_alloc);
    profile->region[profile->region_nr] =
        (struct region){.name = xstrdup(name), .numbers.random_share = -1};
    return &profile->region[profile->region_nr++];
}

/* What a region has by itself. */
static void add_own(const struct regions_node *node,
                    const struct region_unfinished *unfinished,
                    struct region_numbers *out)
{
    double calls = (double)node->calls;
    if (calls > 0) {
        double least = (double)node->min_ns * 1e-9;
        out->min_s = out->calls > 0 ? fmin(out->min_s, least) : least;
        out->max_s = fmax(out->max_s, (double)node->max_ns * 1e-9);
    }
    out->calls += calls;
    out->unfinished += unfinished->nr;
    out->own_s += (double)(node->time_ns - node->inside_ns) * 1e-9;
    out->read_bytes += node->read_bytes;
    out->write_bytes += node->write_bytes;
    out->declared += (double)node->declared;
    if (node->random_share >= 0)
        out->random_share = node->random_share;
}

/* What includes the regions within it. */
static void add_whole(const struct regions_node *node,
                      const struct region_unfinished *unfinished, bool counted,
                      struct region_numbers *out)
{
    uint64_t uncounted_ns = counted ? unfinished->time_ns : node->time_ns;
    out->thread_s += (double)node->time_ns * 1e-9;
    out->asked_s += (double)node->asked_ns * 1e-9;
    out->processor_s += (double)node->processor_ns * 1e-9;
    out->minor_faults += (double)node->minor_faults;
    out->major_faults += (double)node->major_faults;
    out->switches += (double)node->switches;
    for (int i = 0; i < REGION_EVENTS_MAX; i++)
        out->count[i] += (double)node->count[i];
    out->uncounted_s += (double)uncounted_ns * 1e-9;
}

/* Not within a region of the same name. */
static bool is_outermost(const struct regions_lane *lane, uint32_t node)
{
    uint32_t name = lane->node[node].name;
    while ((node = lane->node[node].parent))
        if (lane->node[node].name == name)
            return false;
    return true;
}

/* Of each node, with those below it. */
struct below {
    double pairs[REGIONS_NODES_MAX], read[REGIONS_NODES_MAX], write[REGIONS_NODES_MAX];
};

static void sum_below(const struct regions_lane *lane, struct below *below)
{
    for (uint32_t i = 0; i < lane->node_nr; i++) {
        below->pairs[i] = (double)lane->node[i].calls;
        below->read[i] = lane->node[i].read_bytes;
        below->write[i] = lane->node[i].write_bytes;
    }
    for (uint32_t i = lane->node_nr; i-- > 1;) {
        below->pairs[lane->node[i].parent] += below->pairs[i];
        below->read[lane->node[i].parent] += below->read[i];
        below->write[lane->node[i].parent] += below->write[i];
    }
}

static void add_paths(const struct region_file *file, uint32_t number,
                      struct region_profile *profile)
{
    const struct regions_lane *lane = region_file_lane(file, number);
    const struct region_unfinished *unfinished =
        file->unfinished + (size_t)number * REGIONS_NODES_MAX;
    bool counted = file->header->event_nr && lane->counted;
    size_t path[REGIONS_NODES_MAX];
    path[0] = SIZE_MAX;
    for (uint32_t i = 1; i < lane->node_nr; i++) {
        const struct regions_node *node = &lane->node[i];
        path[i] =
            find_path(profile, path[node->parent], file->header->name[node->name].text);
        struct region_numbers *numbers = &profile->path[path[i]].numbers;
        add_own(node, &unfinished[i], numbers);
        add_whole(node, &unfinished[i], counted, numbers);
    }
}

static void add_regions(const struct region_file *file, uint32_t number,
                        struct region_profile *profile)
{
    const struct regions_lane *lane = region_file_lane(file, number);
    const struct region_unfinished *unfinished =
        file->unfinished + (size_t)number * REGIONS_NODES_MAX;
    bool counted = file->header->event_nr && lane->counted;
    double time[REGIONS_NAMES_MAX] = {0};
    bool was[REGIONS_NAMES_MAX] = {0};
    struct below below;
    sum_below(lane, &below);
    for (uint32_t i = 1; i < lane->node_nr; i++) {
        const struct regions_node *node = &lane->node[i];
        struct region *region = find_region(profile, file->header->name[node->name].text);
        add_own(node, &unfinished[i], &region->numbers);
        region->inner_read_bytes -= node->read_bytes;
        region->inner_write_bytes -= node->write_bytes;
        was[node->name] = true;
        if (!is_outermost(lane, i))
            continue;
        add_whole(node, &unfinished[i], counted, &region->numbers);
        region->inner_read_bytes += below.read[i];
        region->inner_write_bytes += below.write[i];
        region->pairs += below.pairs[i];
        region->marker_s += below.pairs[i] * file->header->pair_ns * 1e-9;
        time[node->name] += (double)node->time_ns * 1e-9;
    }
    for (uint32_t i = 0; i < file->header->name_nr; i++)
        if (was[i])
            spread_add(&find_region(profile, file->header->name[i].text)->thread,
                       time[i]);
}

/* What is counted by name, for the whole process. */
static void add_name(const struct region_file *file, uint32_t number, size_t process,
                     struct region_profile *profile)
{
    const struct regions_name *name = &file->header->name[number];
    struct region *region = find_region(profile, name->text);
    region->unbegun += (double)name->unbegun;
    region->crossed += (double)name->crossed;
    region->forgotten += (double)(name->closed - name->crossed);
    region->abandoned += (double)name->abandoned;
    region->outside += (double)name->outside;
    region->impossible += (double)name->negative;
    if (file->header->end_ns)
        region->left_open += file->open[number];
    if (!name->first_ns)
        return;
    GROW(region->stay, region->stay_nr + 1, region->stay_alloc);
    struct region_stay *stay = &region->stay[region->stay_nr++];
    *stay = (struct region_stay){.process = process,
                                 .host = profile->process[process].host,
                                 .wall_s = (double)name->wall_ns * 1e-9,
                                 .first_s = (double)name->first_ns * 1e-9,
                                 .last_s = (double)name->last_ns * 1e-9};
    spread_add(&region->process, stay->wall_s);
}

static size_t add_process(const struct region_file *file, struct region_profile *profile)
{
    const struct regions_header *header = file->header;
    GROW(profile->process, profile->process_nr + 1, profile->process_alloc);
    struct region_process *process = &profile->process[profile->process_nr];
    *process = (struct region_process){.host = xstrdup(header->host),
                                       .program = xstrdup(header->program),
                                       .pid = header->pid,
                                       .wall_s = file->end_s - file->start_s,
                                       .ended = header->end_ns != 0,
                                       .pair_ns = header->pair_ns,
                                       .empty_ns = header->empty_ns,
                                       .why = *header->why ? xstrdup(header->why) : NULL};
    for (uint32_t i = 0; i < header->lane_nr; i++) {
        const struct regions_lane *lane = region_file_lane(file, i);
        process->threads += lane->threads;
        profile->unrecorded += (double)lane->lost;
        profile->uncounted += header->event_nr && !lane->counted;
    }
    profile->unrecorded_names += (double)header->unrecorded_names;
    profile->unrecorded_threads += (double)header->unrecorded_threads;
    profile->nameless += (double)header->nameless;
    return profile->process_nr++;
}

void region_merge(const struct region_file *file, struct region_profile *profile)
{
    size_t process = add_process(file, profile);
    for (uint32_t i = 0; i < file->header->lane_nr; i++) {
        add_paths(file, i, profile);
        add_regions(file, i, profile);
    }
    for (uint32_t i = 0; i < file->header->name_nr; i++)
        add_name(file, i, process, profile);
}
