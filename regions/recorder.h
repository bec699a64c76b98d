/* Private to regions/: where a process records. */
#ifndef REGIONS_RECORDER_H
#define REGIONS_RECORDER_H

#include <stdint.h>

#include "regions/regions.h"

/* What one thread needs besides its lane. */
struct inflight_thread {
    struct regions_lane *lane;
    int events;        /* of inflight_papi: its event set; negative = does not count */
    uint32_t too_deep; /* begins beyond REGIONS_DEPTH_MAX that have not ended */
    /* By name: how often it is open here; how often it was closed by the end of another
     * one whose own end has not come. */
    uint32_t open[REGIONS_NAMES_MAX], closed[REGIONS_NAMES_MAX];
    /* Nodes that were found lately, by name and caller; 0 = empty. */
    uint32_t cache[256];
    uint32_t generation; /* of the process that the lane is of; forks raise it */
    /* For the child: what was open at the last fork, and where its names stand. */
    struct regions_frame kept[REGIONS_DEPTH_MAX];
    uint32_t kept_nr;
    const struct regions_header *kept_from;
};

/* Of this process once inflight_recorder_thread() has been called in it. */
extern struct regions_header *inflight_recorder_header;

/* The state of the calling thread; NULL when it cannot be recorded. */
struct inflight_thread *inflight_recorder_thread(void);

/* The name's number, a new one if need be; REGIONS_NAMES_MAX when there are too many. */
uint32_t inflight_recorder_name(const char *name);

/* Ends the frame on top at `now`. */
void inflight_recorder_close(struct inflight_thread *thread, uint64_t now);
/* Begins a region whose name has this number. */
void inflight_recorder_open(struct inflight_thread *thread, const char *name);

uint64_t inflight_recorder_now(void);

#endif
