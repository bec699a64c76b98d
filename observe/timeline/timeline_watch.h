/*
 * What a program publishes of its software-defined events, and who reads it: a file that
 * both map. Written by the shared object that is preloaded (timeline_inside.c), read by
 * timeline_sde.c. Only the C library here.
 *
 * INFLIGHT_WATCH names the file. Each process that registers an event takes the next
 * place; its thread reads all events half an interval before each deadline of the reader,
 * so that what is read there is always as old. `sequence` is odd while a place is
 * written.
 */
#ifndef CORE_OBSERVE_TIMELINE_WATCH_H
#define CORE_OBSERVE_TIMELINE_WATCH_H

#include <stdint.h>

#define WATCH_VARIABLE "INFLIGHT_WATCH"
#define WATCH_MAGIC    0x31686374617766ULL /* "fwatch1", in the order of this machine */

enum { WATCH_PROCESSES = 64, WATCH_EVENTS = 64, WATCH_NAME = 120 };

struct watch_event {
    char name[WATCH_NAME]; /* "library::EVENT" */
    double value;
    uint32_t known, level; /* level: PAPI_SDE_INSTANT, else it adds up */
};

struct watch_process {
    uint32_t sequence;
    int32_t pid;
    uint32_t event_nr;
    uint32_t left_out; /* events beyond the room, recorders and sets */
    int64_t at_ns;     /* CLOCK_MONOTONIC, of the values; 0 = never */
    struct watch_event event[WATCH_EVENTS];
};

struct watch {
    uint64_t magic;
    int64_t start_ns, interval_ns; /* of the reader */
    uint32_t process_nr;           /* may pass WATCH_PROCESSES: the rest found no place */
    uint32_t unused;
    struct watch_process process[WATCH_PROCESSES];
};

#endif
