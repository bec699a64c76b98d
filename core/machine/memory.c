#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, madvise: in this one file */
#include "core/machine/memory.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/buf.h"
#include "core/base/fs.h"
#include "core/machine/machine.h"

/* The number after `key` in a text such as /proc/meminfo, in bytes; NaN if it is not
 * there. */
static double kib_after(const char *text, const char *key)
{
    const char *found = strstr(text, key);

    return found ? strtod(found + strlen(key), NULL) * 1024 : NAN;
}

/* Reads the entry of the mapping that starts at `base` in /proc/self/smaps. */
static double huge_bytes_of(const void *base)
{
    struct buf smaps = {0}, head = {0};
    double bytes = NAN;
    const char *entry;

    buf_addf(&head, "%lx-", (unsigned long)(uintptr_t)base);
    if (!file_read("/proc/self/smaps", &smaps, NULL) &&
        (entry = strstr(buf_str(&smaps), buf_str(&head))))
        bytes = kib_after(entry, "AnonHugePages:");
    buf_release(&smaps);
    buf_release(&head);
    return bytes;
}

static void touch(char *base, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    for (size_t i = 0; i < bytes; i += page)
        *(volatile char *)(base + i) = 1;
}

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* Gives the ends back, so that the entry in smaps is the region itself. */
static void trim(struct region *region)
{
    char *mapping = region->mapping;
    size_t before = (size_t)(region->base - mapping);
    size_t after = region->mapping_bytes - before - region->bytes;

    if (before)
        munmap(mapping, before);
    if (after)
        munmap(region->base + region->bytes, after);
    region->mapping = region->base;
    region->mapping_bytes = region->bytes;
}

int region_map(struct region *region, size_t bytes, bool huge, struct error *err)
{
    uintptr_t start;

    *region = (struct region){.bytes = round_up(bytes, HUGE_PAGE_BYTES)};
    region->mapping_bytes = region->bytes + HUGE_PAGE_BYTES;
    region->mapping = mmap(NULL, region->mapping_bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (region->mapping == MAP_FAILED) {
        region->mapping = NULL;
        return fail(err, STATUS_MISSING, "cannot get %zu MiB of memory: %s",
                    region->bytes >> 20, strerror(errno));
    }
    start = round_up((uintptr_t)region->mapping, HUGE_PAGE_BYTES);
    region->base = (char *)start;
    trim(region);
    /* Without support for transparent huge pages this fails, and the share below says so.
     */
    madvise(region->base, region->bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    touch(region->base, region->bytes);
    region->huge_share = huge_bytes_of(region->base) / (double)region->bytes;
    return 0;
}

void region_release(struct region *region)
{
    if (region->mapping)
        munmap(region->mapping, region->mapping_bytes);
    *region = (struct region){0};
}

static double number_in(const char *path, double otherwise)
{
    struct buf text = {0};
    double number = otherwise;
    char *end;

    if (!file_read(path, &text, NULL)) {
        number = strtod(buf_str(&text), &end);
        if (end == buf_str(&text)) /* "max" */
            number = otherwise;
    }
    buf_release(&text);
    return number;
}

/* One version of control groups: where it is mounted and how it calls things. */
struct group_kind {
    const char *marker; /* precedes the group's path in /proc/self/cgroup */
    const char *mount, *limit, *used, *cached;
};
static const struct group_kind group_kinds[] = {
    {"0::", "/sys/fs/cgroup", "memory.max", "memory.current", "\nfile "},
    {":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes",
     "memory.usage_in_bytes", "\ntotal_cache "},
};

static double in_group(const struct group_kind *kind, const char *group, const char *name)
{
    char *path = xasprintf("%s%s/%s", kind->mount, group, name);
    double number = number_in(path, INFINITY);

    free(path);
    return number;
}

/* Of files, which the kernel gives back when memory is short. */
static double cached_in(const struct group_kind *kind, const char *group)
{
    char *path = xasprintf("%s%s/memory.stat", kind->mount, group);
    struct buf text = {0};
    double bytes = 0;

    buf_add(&text, "\n");
    if (!file_read(path, &text, NULL)) {
        const char *found = strstr(buf_str(&text), kind->cached);

        bytes = found ? strtod(found + strlen(kind->cached), NULL) : 0;
    }
    buf_release(&text);
    free(path);
    return bytes;
}

/* The limit of a group, or what is left of it. */
static double room_in(const struct group_kind *kind, const char *group, bool left)
{
    double limit = in_group(kind, group, kind->limit), used;

    if (!left || isinf(limit))
        return limit;
    used = in_group(kind, group, kind->used);
    return isinf(used) ? limit : fmax(0, limit - fmax(0, used - cached_in(kind, group)));
}

/* Our group and those above it, as far as this mount shows them. */
static double group_room(const struct group_kind *kind, const char *groups, bool left)
{
    const char *line = strstr(groups, kind->marker);
    char *group = line ? xstrndup(line + strlen(kind->marker),
                                  strcspn(line + strlen(kind->marker), "\n"))
                       : xstrdup("");
    double least = INFINITY;

    for (;;) {
        char *slash = strrchr(group, '/');

        least = fmin(least, room_in(kind, group, left));
        if (!slash)
            break;
        *slash = '\0';
    }
    free(group);
    return least;
}

static double groups_room(bool left)
{
    struct buf groups = {0};
    double room = INFINITY;

    if (!file_read("/proc/self/cgroup", &groups, NULL))
        for (size_t i = 0; i < ARRAY_SIZE(group_kinds); i++)
            room = fmin(room, group_room(&group_kinds[i], buf_str(&groups), left));
    buf_release(&groups);
    return room;
}

double memory_limit_bytes(void)
{
    return groups_room(false);
}

/* What the limits of this process (ulimit -v, ulimit -d) leave. */
static double process_room(void)
{
    struct rlimit space, data;
    struct buf text = {0};
    double pages = 0, room = INFINITY;

    if (!file_read("/proc/self/statm", &text, NULL))
        pages = strtod(buf_str(&text), NULL);
    buf_release(&text);
    if (!getrlimit(RLIMIT_AS, &space) && space.rlim_cur != RLIM_INFINITY)
        room = fmin(room, (double)space.rlim_cur);
    if (!getrlimit(RLIMIT_DATA, &data) && data.rlim_cur != RLIM_INFINITY)
        room = fmin(room, (double)data.rlim_cur);
    return fmax(0, room - pages * (double)sysconf(_SC_PAGESIZE));
}

static double meminfo(const char *key)
{
    struct buf info = {0};
    double bytes = 0;

    if (!file_read("/proc/meminfo", &info, NULL))
        bytes = kib_after(buf_str(&info), key);
    buf_release(&info);
    return isnan(bytes) ? 0 : bytes;
}

double memory_total_bytes(void)
{
    return fmin(meminfo("MemTotal:"), memory_limit_bytes());
}

/* Where nothing is left it is still not "not known". */
double memory_available_bytes(void)
{
    double available = meminfo("MemAvailable:");

    return available <= 0
               ? 0
               : fmax(1, fmin(available, fmin(groups_room(true), process_room())));
}

const char *memory_thp_mode(void)
{
    static const char *const mode[] = {"always", "madvise", "never"};
    const char *found = "none";
    struct buf text = {0};

    if (!file_read("/sys/kernel/mm/transparent_hugepage/enabled", &text, NULL))
        for (size_t i = 0; i < ARRAY_SIZE(mode); i++) {
            char *chosen = xasprintf("[%s]", mode[i]);

            if (strstr(buf_str(&text), chosen))
                found = mode[i];
            free(chosen);
        }
    buf_release(&text);
    return found;
}
