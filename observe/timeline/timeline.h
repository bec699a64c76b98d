/*
 * A time line: what an application did in one interval after the other, by several events
 * at once. Pure: filled by whoever reads (timeline_run.h), by a test.
 */
#ifndef CORE_OBSERVE_TIMELINE_H
#define CORE_OBSERVE_TIMELINE_H

#include "core/base/array.h"

enum timeline_kind {
    TIMELINE_COUNT, /* only grows: shown as what it grew by a second */
    TIMELINE_LEVEL  /* is what it is: watts, bytes resident */
};

/* What a source says of an event at one moment. */
struct timeline_reading {
    bool known;
    double value; /* since the beginning, or now; as the source counts */
    double share; /* of the time that it really counted; 1 = all */
};

struct timeline_event {
    char *name;   /* "perf::TASK-CLOCK" */
    char *label;  /* at most 20 columns: "busy cores" */
    char *unit;   /* of the values: "cores", "/s", "GB/s", "W" */
    char *source; /* who counts, for the table of sources */
    enum timeline_kind kind;
    double factor; /* values = what a count grew by a second, or a level, times this */
    /* [bin]: NaN = not known; share 1 = not multiplexed */
    double *value, *share;
    struct timeline_reading last; /* that was known */
    double last_at_s;
    size_t backward_nr; /* readings below the one before, left out */
    double backward_at_s, backward_from, backward_to; /* the first of them */
};

struct timeline_bin {
    double from_s, to_s; /* as read, from the program's start */
    size_t missed;       /* deadlines in it at which nobody read */
};

/* {0} is empty. Every event has bin_nr values. */
struct timeline {
    struct timeline_event *event;
    size_t event_nr, event_alloc;
    struct timeline_bin *bin;
    size_t bin_nr, bin_alloc;
    double interval_s;  /* asked for; doubled when the bins became too many */
    double began_s;     /* of the bin that is open */
    char *program;      /* the command line, for a title */
    char *end;          /* "exit status 0", "ended by SIGSEGV", ... */
    double own_cpu_s;   /* of reading */
    struct strvec note; /* what was left out and why, one sentence each */
};

enum { TIMELINE_BINS_MAX = 1 << 16 };

void timeline_release(struct timeline *timeline);

/* Copies the words. Bins so far are unknown of it. Its place. */
size_t timeline_add_event(struct timeline *timeline, const struct timeline_event *event);

/* All events read at `at_s`, first at 0: `reading` has one for each event. A count that
 * was not known at the last reading is spread over the time since it was; one that runs
 * backwards is unknown for this bin and begins anew. From TIMELINE_BINS_MAX on neighbours
 * are merged and the interval doubled, with a note. */
void timeline_take(struct timeline *timeline, double at_s, size_t missed,
                   const struct timeline_reading *reading);

/* A last bin shorter than half an interval joins the one before. */
void timeline_fold_last(struct timeline *timeline);

/* Notes of what ran backwards. */
void timeline_note_backwards(struct timeline *timeline);

/* Over the bins from `from` up to `to`, by their length; NaN when none is known. */
double timeline_mean(const struct timeline *timeline, size_t event, size_t from,
                     size_t to);
double timeline_seconds(const struct timeline *timeline);
size_t timeline_missed(const struct timeline *timeline);
/* NULL when it is not there. */
const struct timeline_event *timeline_find(const struct timeline *timeline,
                                           const char *name);

#endif
