#include "observe/regions/region_profile.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "observe/regions/region_parts.h"

/* ---- merge ---- */

/* From what the threads of a process counted to call paths and regions of all. */

static void spread_add(struct region_spread *spread, double value)
{
    spread->min = spread->nr ? fmin(spread->min, value) : value;
    spread->max = spread->nr ? fmax(spread->max, value) : value;
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
        double min = (double)node->min_ns * 1e-9;
        out->min_s = out->calls > 0 ? fmin(out->min_s, min) : min;
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

/* Adds the paths and numbers of the file. */
static void region_merge(const struct region_file *file, struct region_profile *profile)
{
    size_t process = add_process(file, profile);
    for (uint32_t i = 0; i < file->header->lane_nr; i++) {
        add_paths(file, i, profile);
        add_regions(file, i, profile);
    }
    for (uint32_t i = 0; i < file->header->name_nr; i++)
        add_name(file, i, process, profile);
}

/* ---- wall ---- */

/* When several processes were in a region. */

static int by_host_and_begin(const void *a, const void *b)
{
    const struct region_stay *left = a, *right = b;
    int order = strcmp(left->host, right->host);
    return order ? order
                 : (left->first_s > right->first_s) - (left->first_s < right->first_s);
}

/* Stays on one machine, each of which begins before those before it have ended: between
 * the longest and the sum. Sets *nr_used. */
static struct quantity unite_overlapping(const struct region_stay *stay, size_t nr,
                                         size_t *used)
{
    double longest = 0, sum = 0, end = stay[0].last_s;
    size_t i = 0;
    for (; i < nr && !strcmp(stay[i].host, stay[0].host) && (!i || stay[i].first_s < end);
         i++) {
        longest = fmax(longest, stay[i].wall_s);
        sum += stay[i].wall_s;
        end = fmax(end, stay[i].last_s);
    }
    *used = i;
    double max = fmax(longest, fmin(sum, end - stay[0].first_s));
    return quantity_between(longest, longest, max, 0, PROVENANCE_CLOCK);
}

/* Unites them; hosts_s and at_once as in struct region. Sorts `stay`. */
static struct quantity region_unite(struct region_stay *stay, size_t nr, double *hosts_s,
                                    double *at_once)
{
    struct quantity max = quantity_exact(0, PROVENANCE_CLOCK), host = max;
    double sum = 0;
    *hosts_s = 0;
    if (nr)
        qsort(stay, nr, sizeof(*stay), by_host_and_begin);
    for (size_t i = 0, used; i < nr; i += used) {
        struct quantity together = unite_overlapping(stay + i, nr - i, &used);
        bool same = i && !strcmp(stay[i].host, stay[i - 1].host);
        host = same ? quantity_add(host, together) : together;
        *hosts_s += together.value;
        if (host.value > max.value)
            max = host;
    }
    for (size_t i = 0; i < nr; i++)
        sum += stay[i].wall_s;
    *at_once = *hosts_s > 0 ? sum / *hosts_s : 1;
    return max;
}

/* ---- region profile ---- */

static void release_paths(struct region_profile *profile)
{
    for (size_t i = 0; i < profile->path_nr; i++)
        free(profile->path[i].name);
    for (size_t i = 0; i < profile->region_nr; i++) {
        free(profile->region[i].name);
        free(profile->region[i].stay);
    }
    free(profile->path);
    free(profile->region);
}

void region_profile_release(struct region_profile *profile)
{
    for (size_t i = 0; i < profile->process_nr; i++) {
        free(profile->process[i].host);
        free(profile->process[i].program);
        free(profile->process[i].why);
    }
    free(profile->process);
    for (size_t i = 0; i < profile->event_nr; i++)
        free(profile->event[i]);
    release_paths(profile);
    *profile = (struct region_profile){0};
}

/* ---- the folder ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list_files(const char *folder, struct strvec *paths, struct error *err)
{
    size_t tail = strlen(REGIONS_SUFFIX);
    struct dirent *entry;
    DIR *dir = opendir(folder);
    if (!dir)
        return fail(err, STATUS_INPUT, "cannot read the folder '%s': %s", folder,
                    strerror(errno));
    while ((entry = readdir(dir))) {
        size_t length = strlen(entry->d_name);
        if (length < tail || strcmp(entry->d_name + length - tail, REGIONS_SUFFIX))
            continue;
        char *path = path_join(folder, entry->d_name);
        strvec_push(paths, path);
        free(path);
    }
    closedir(dir);
    if (paths->nr)
        qsort(paths->v, paths->nr, sizeof(*paths->v), by_name);
    return 0;
}

/* Counts of different events cannot be added. */
static int take_events(const char *path, const struct regions_header *header,
                       struct region_profile *profile, struct error *err)
{
    if (!header->event_nr)
        return 0;
    bool first = !profile->event_nr;
    bool same = first || profile->event_nr == header->event_nr;
    for (uint32_t i = 0; i < header->event_nr; i++)
        if (first)
            profile->event[profile->event_nr++] = xstrdup(header->event[i]);
        else
            same = same && !strcmp(profile->event[i], header->event[i]);
    return same ? 0
                : fail(err, STATUS_INPUT,
                       "'%s' counted other events than the files beside it: give each "
                       "run a folder of its own",
                       path);
}

/* From the first begin to the last end, of the machine where that is longest. */
struct span {
    const char *host;
    double first_s, last_s;
};
struct spans {
    struct span *item;
    size_t nr, alloc;
};

static void span_add(struct spans *spans, const char *host, double first_s, double last_s)
{
    size_t i = 0;
    while (i < spans->nr && strcmp(spans->item[i].host, host))
        i++;
    if (i == spans->nr) {
        GROW(spans->item, spans->nr + 1, spans->alloc);
        spans->item[spans->nr++] = (struct span){host, first_s, last_s};
    }
    spans->item[i].first_s = fmin(spans->item[i].first_s, first_s);
    spans->item[i].last_s = fmax(spans->item[i].last_s, last_s);
}

static int read_one(const char *path, const struct region_end *end, struct spans *spans,
                    struct region_profile *profile, struct error *err)
{
    struct region_file file;
    int status = region_file_read(path, end, &file, err);
    if (status > 0)
        profile->silent++;
    if (status)
        return status < 0 ? -1 : 0;
    status = take_events(path, file.header, profile, err);
    if (!status) {
        region_merge(&file, profile);
        span_add(spans, profile->process[profile->process_nr - 1].host, file.start_s,
                 file.end_s);
    }
    region_file_release(&file);
    return status;
}

static void unite(struct region_profile *profile)
{
    for (size_t i = 0; i < profile->region_nr; i++) {
        struct region *region = &profile->region[i];
        region->wall_s = region_unite(region->stay, region->stay_nr, &region->hosts_s,
                                      &region->processes_at_once);
    }
}

int region_profile_read(const char *folder, const struct region_end *end,
                        struct region_profile *profile, struct error *err)
{
    struct strvec paths = {0};
    struct spans spans = {0};
    *profile = (struct region_profile){0};
    int status = list_files(folder, &paths, err);
    for (size_t i = 0; i < paths.nr && !status; i++)
        status = read_one(paths.v[i], end, &spans, profile, err);
    if (!status)
        unite(profile);
    for (size_t i = 0; i < spans.nr; i++)
        profile->wall_s =
            fmax(profile->wall_s, spans.item[i].last_s - spans.item[i].first_s);
    profile->hosts = spans.nr;
    free(spans.item);
    strvec_release(&paths);
    if (status)
        region_profile_release(profile);
    return status;
}
