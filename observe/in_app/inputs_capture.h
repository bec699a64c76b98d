/* What a function was called with, taken as its recorder tells. */
#ifndef ADVISOR_INPUTS_CAPTURE_H
#define ADVISOR_INPUTS_CAPTURE_H

#include "advisor/cli/settings.h"
#include "observe/observe.h"

struct error;
struct kernel;

struct capturing {
    const struct settings *settings;
    const char *output;   /* the file to write */
    const char *copy;     /* the folder that the application was built in, and */
    const char *root;     /* of what it is a copy */
    struct inputs inputs; /* inputs_release */
};
/* With which sizes a function is called, in the order in which they came: the numbers
 * that decide on its loops and arrays. */
struct call_size {
    struct inputs_number *number; /* of each the same ones */
    size_t number_nr;
    long long first_call, calls;
    double iterations;    /* of one call, by the loop model; 0 = it does not say */
    long long later_call; /* one behind the middle of those that were looked at */
};
enum { CALLS_LOOKED_AT = 10000, CALL_SIZES_MAX = 64 };
struct call_sizes {
    const struct settings *settings;
    struct call_size *item;
    size_t nr, alloc;
    long long calls; /* that there were, as far as it was looked */
    long long looks; /* at so many of them */
    long long every; /* of these one in so many was kept: 1 unless there are more than
                        CALL_SIZES_MAX sizes, of which every second one is dropped then */
    struct taking *taking; /* private */
};
/*
 * Run an application as `how` says (argv, dir, call, ends, how it is shown), which the
 * recorder of settings->function was compiled into; `outcome` says how it ended. Fails
 * with STATUS_INPUT where there was no such call.
 */
int inputs_record(struct recording_request how, struct capturing *capturing,
                  struct recording_outcome *outcome, struct error *err);
/* Looks at up to CALLS_LOOKED_AT calls, and ends the application behind them. */
int inputs_record_sizes(struct recording_request how, struct call_sizes *sizes,
                        struct error *err);
void call_sizes_release(struct call_sizes *sizes);
/* inflight.call-sizes/1; the same for people. */
json_t *call_sizes_json(const struct call_sizes *sizes, const char *function);
void call_sizes_text(const struct call_sizes *sizes, const char *function,
                     struct buf *out);

/* The statement for the first line of the function that tells a recorder all that the
 * kernel takes from its caller. */
void inputs_statement(struct kernel *kernel, struct buf *out);
#endif
