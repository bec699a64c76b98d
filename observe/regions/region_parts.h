/* Private to observe/regions: from the file of one process to the profile of all. */
#ifndef CORE_OBSERVE_REGION_PARTS_H
#define CORE_OBSERVE_REGION_PARTS_H

#include <stdint.h>

#include "core/base/buf.h"
#include "observe/regions/region_profile.h"
#include "regions/regions.h"

struct error;

/* The file of one process. The lanes' open frames have been ended. */
struct region_file {
    struct buf bytes;
    const struct regions_header *header;
    double end_s, start_s; /* CLOCK_MONOTONIC */
    /* By name: how many frames were open at the end. */
    uint32_t open[REGIONS_NAMES_MAX];
    struct region_unfinished *unfinished; /* by lane and node */
};

/* Calls that had not ended, and their time. */
struct region_unfinished {
    uint32_t nr;
    uint64_t time_ns;
};

/* 1 = the process was ended before it could say anything. */
int region_file_read(const char *path, const struct region_end *end,
                     struct region_file *file, struct error *err);
void region_file_release(struct region_file *file);
struct regions_lane *region_file_lane(const struct region_file *file, uint32_t i);

#endif
