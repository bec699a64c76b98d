/*
 * Who reads the events of a time line: each source is opened before the program starts,
 * adds its events to the time line, and is read at each deadline. Private to
 * observe/timeline.
 */
#ifndef CORE_OBSERVE_TIMELINE_SOURCE_H
#define CORE_OBSERVE_TIMELINE_SOURCE_H

#include <sys/types.h>

#include "observe/timeline/timeline.h"

struct error;

/* Where sources put what they read: one reading for each event of the time line, unknown
 * unless it is filled in. */
struct timeline_readings {
    struct timeline *timeline;
    struct timeline_reading *v;
    size_t alloc;
    double at_s; /* of this reading */
};
/* Adds the event, also while the program runs. */
size_t timeline_readings_add(struct timeline_readings *readings,
                             const struct timeline_event *event);
void timeline_readings_begin(struct timeline_readings *readings, double at_s);
void timeline_readings_set(struct timeline_readings *readings, size_t event,
                           double value);

struct timeline_source {
    void *self;
    /* `ended`: the program has. */
    int (*read)(void *self, bool ended, struct timeline_readings *readings,
                struct error *err);
    void (*close)(void *self);
    bool failed; /* was said */
};

/* An event that is wanted, and what it is called. */
struct timeline_wish {
    struct timeline_event event; /* its words are owned */
    bool of_process;             /* PAPI attaches to threads */
};

/* Counters of PAPI and the kernel: of what this process will start (`pid` 0), or of a
 * process that runs. All wishes must be such events. */
int timeline_counters_open(const struct timeline_wish *const *wish, size_t nr, pid_t pid,
                           struct timeline_readings *readings,
                           struct timeline_source *source, struct error *err);
/* Bytes through memory, "memory:::read" and "memory:::written". */
int timeline_memory_open(const struct timeline_wish *const *wish, size_t nr,
                         struct timeline_readings *readings,
                         struct timeline_source *source, struct error *err);

/* /proc of all processes below this one: "proc:::read" ... */
bool timeline_proc_knows(const char *event);
void timeline_proc_open(const struct timeline_wish *const *wish, size_t nr,
                        struct timeline_readings *readings,
                        struct timeline_source *source);

#endif
