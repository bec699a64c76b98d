/* Runs an application and fills its time line: a reading at each deadline, which do not
 * drift; what is late has its real time, deadlines that passed meanwhile are counted. */
#ifndef CORE_OBSERVE_TIMELINE_RUN_H
#define CORE_OBSERVE_TIMELINE_RUN_H

#include <stdbool.h>

struct error;
struct spawn_outcome;
struct timeline;

struct timeline_run_opts {
    const char *const *argv;
    double interval_s;  /* 1e-3 or more */
    const char *events; /* a list; NULL = what counts here */
    bool out_to_err;    /* what the program prints goes to standard error */
};

/* 0 when the program was started, however it ended (outcome; timeline->end says it in
 * words). Caller releases both, also after a failure. */
int timeline_run(const struct timeline_run_opts *opts, struct timeline *timeline,
                 struct spawn_outcome *outcome, struct error *err);

#endif
