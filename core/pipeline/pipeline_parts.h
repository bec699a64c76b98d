/* What the files of core/pipeline share; private to the folder. */
#ifndef CORE_PIPELINE_PIPELINE_PARTS_H
#define CORE_PIPELINE_PIPELINE_PARTS_H

#include "core/pipeline/pipeline.h"

/* What an event had to wait for last. */
enum wait_for {
    WAIT_START,     /* nothing: the run begins */
    WAIT_ORDER,     /* the one before it, by width */
    WAIT_FETCH,     /* its code */
    WAIT_BRANCH,    /* the right way behind a branch */
    WAIT_ROB,       /* room: the retirement of `at` */
    WAIT_SCHEDULER, /* the execution of `at` */
    WAIT_LOADS,     /* the retirement of the load `at` */
    WAIT_STORES,    /* the store `at` to leave its buffer */
    WAIT_DISPATCH,  /* its own dispatch */
    WAIT_DATA,      /* what `at` computes or loads */
    WAIT_FORWARD,   /* what the store `at` stores */
    WAIT_LINE,      /* the line that `at` asked for */
    WAIT_LOADED,    /* its own load */
    WAIT_DONE,      /* its own execution */
    WAIT_MSHR,      /* the line of `at` to come, which gives an entry free */
    WAIT_CHANNEL,   /* the line of `at`, which is on the way from the same level */
    WAIT_WALKER,    /* the walk of `at` */
    WAIT_RETIRED    /* its own retirement */
};

struct wait {
    enum wait_for what;
    uint32_t at;
};

/* The events of one step, in cycles. */
struct events {
    double dispatched;
    double addressed; /* what its address needs is there */
    double issued;    /* the load or store has a port */
    double walked;    /* its page is found */
    double begun;     /* its miss has an entry */
    double loaded;
    double ready; /* all operands of the computation are there */
    double executed, done, retired;
    double filled, committed; /* stores: the line is there; it left the buffer */
    struct wait for_dispatch, for_address, for_walk, for_begin, for_load, for_ready,
        for_retire, for_commit;
    double came; /* the line of its miss, if it missed */
    bool missed;
    uint8_t level; /* that the line came from, as pipeline_access.from */
};

struct path {
    double cycles[CAUSE_NR], chained_walks;
    uint32_t blamed[CAUSE_NR];
};

/* The bandwidth that lines from there (as pipeline_access.from) take. */
enum cause bandwidth_cause(const struct pipeline_memory *memory, int from);

/* Follows the waits from the retirement of the last step back to the time `until`. */
void path_follow(const struct pipeline_stream *stream,
                 const struct pipeline_memory *memory, const struct events *events,
                 double until, struct path *out);

#endif
