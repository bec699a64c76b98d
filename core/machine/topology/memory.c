#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, madvise: in this one file */
#include "core/machine/topology/memory.h"

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
#include "core/base/error.h"
#include "core/files/fs.h"
#include "core/machine/machine.h"
#include "core/machine/topology/cgroup.h"

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

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; headers may be older */
#endif

/* In one call where the kernel can: a fault for each page takes ten times as long where
 * entering the kernel is dear (16 us against 1.4 on a Zen 5 guest). */
static void touch(char *base, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    madvise(base, bytes, MADV_POPULATE_WRITE);
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

double memory_limit_bytes(void)
{
    return cgroup_memory_bytes("");
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

    return available <= 0 ? 0
                          : fmax(1, fmin(available, fmin(cgroup_memory_left_bytes(""),
                                                         process_room())));
}

double group_processors(const char *root)
{
    return cgroup_processors(root);
}

double group_bytes_left(const char *root)
{
    return cgroup_memory_left_bytes(root);
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
