#include "observe/regions/region_profile.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "observe/regions/region_parts.h"

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
