/*
 * regions: the library that programs link to mark their regions (inflight.h is what they
 * include). It needs the C library only. This header is what it leaves behind: one file
 * per process in the folder INFLIGHT_REGIONS, mapped into memory while the process runs,
 * so that a process that is killed leaves what it had counted.
 *
 *     struct regions_header          names included
 *     struct regions_lane [lane_nr]  what threads counted, at header_bytes + i *
 * lane_bytes
 *
 * In the machine's own byte order. A lane belongs to one thread at a time; when it ends
 * another one goes on with it.
 */
#ifndef REGIONS_REGIONS_H
#define REGIONS_REGIONS_H

#include <stdint.h>

#define REGIONS_MAGIC  "inflight.regions" /* 16 bytes, the NUL is not stored */
#define REGIONS_SUFFIX ".regions"         /* of the files' names */

enum {
    REGIONS_FORMAT = 1,
    REGIONS_BYTE_ORDER = 0x01020304,
    REGIONS_NAMES_MAX = 256,
    REGIONS_NAME_BYTES = 128, /* with the NUL */
    REGIONS_NODES_MAX = 512,  /* call paths of a thread */
    REGIONS_DEPTH_MAX = 64,
    REGIONS_LANES_MAX = 1024, /* threads at once */
    REGIONS_EVENTS_MAX = 8,
    REGIONS_EVENT_BYTES = 64,
    REGIONS_TEXT_BYTES = 256
};

/* All times are CLOCK_MONOTONIC in nanoseconds. */
struct regions_name {
    char text[REGIONS_NAME_BYTES];
    int64_t inside;  /* threads that are in it now */
    int64_t wall_ns; /* during which any thread was in it; while one is, its begin is
                        subtracted already: add the present time */
    uint64_t first_ns, last_ns; /* when it was first entered and last left; 0 = never */
    /* mistakes */
    uint64_t unbegun;   /* ended where it was not begun */
    uint64_t crossed;   /* ended behind the end of a region around it */
    uint64_t closed;    /* still open when a region around it ended; crossed included */
    uint64_t abandoned; /* still open when its thread ended */
    uint64_t outside;   /* bytes or access were told where it was not open */
    uint64_t negative;  /* bytes or access were told that cannot be */
    uint64_t unused[6];
};

/* One call path: a region, called within its parent. Node 0 is the thread outside of all
 * regions; it is no region's. */
struct regions_node {
    uint32_t name, parent;
    uint32_t child, sibling; /* 0 = none */
    uint64_t calls;          /* that have ended */
    uint64_t time_ns, min_ns, max_ns;
    uint64_t inside_ns; /* of time_ns, in regions within this one */
    double read_bytes, write_bytes;
    uint64_t declared;   /* calls of inflight_region_bytes */
    double random_share; /* negative = not told */
    /* Of the calls that were long enough to ask the system: their time, processor time of
     * the whole process in it, page faults and context switches of this thread. */
    uint64_t asked_ns, processor_ns, minor_faults, major_faults, switches;
    uint64_t count[REGIONS_EVENTS_MAX];
};

struct regions_frame {
    uint32_t name, node; /* node 0 = not recorded */
    uint64_t start_ns;
    uint64_t asked; /* 1 = the four below are known */
    uint64_t processor_ns, minor_faults, major_faults, switches;
    uint64_t count[REGIONS_EVENTS_MAX];
};

struct regions_lane {
    uint64_t threads; /* that had it, one after the other */
    uint64_t last_ns; /* of its last begin or end */
    uint64_t lost;    /* begins that were not recorded: too many paths, or too deep */
    uint64_t counted; /* 1 = its events count */
    uint32_t node_nr, depth;
    struct regions_frame frame[REGIONS_DEPTH_MAX];
    struct regions_node node[REGIONS_NODES_MAX];
};

struct regions_header {
    char magic[16];
    uint32_t format, byte_order;
    uint64_t header_bytes, lane_bytes;
    int64_t pid, parent_pid;
    char host[REGIONS_TEXT_BYTES], program[REGIONS_TEXT_BYTES];
    uint64_t start_ns, end_ns; /* end 0 = it did not come to its exit handlers */
    int64_t start_epoch_ns;
    double pair_ns;  /* an empty begin and end cost */
    double empty_ns; /* of that, what the region itself is charged */
    uint64_t unrecorded_names,
        unrecorded_threads; /* beyond the limits; begins, threads */
    uint64_t nameless;      /* NULL was given as a name */
    uint32_t name_nr, lane_nr, event_nr, unused;
    char event[REGIONS_EVENTS_MAX][REGIONS_EVENT_BYTES];
    char why[REGIONS_TEXT_BYTES]; /* why nothing is counted; "" = all is, or not asked */
    struct regions_name name[REGIONS_NAMES_MAX];
};

#endif
