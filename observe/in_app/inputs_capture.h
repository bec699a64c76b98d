/* What a function was called with, taken out of a process that stands at its entry. */
#ifndef ADVISOR_INPUTS_CAPTURE_H
#define ADVISOR_INPUTS_CAPTURE_H

#include "advisor/cli/settings.h"
#include "observe/observe.h"

struct error;
struct kernel;

struct capturing {
    const struct settings *settings;
    const char *output; /* the file to write */
    struct inputs inputs;
    bool is_written;
    char *flags_from; /* who says with which flags the source was read; owned */
};
/* With which sizes a function is called, in the order in which they came: the numbers
 * that decide on its loops and arrays. */
struct call_size {
    struct inputs_number *number; /* of each the same ones */
    size_t number_nr;
    long long first_call, calls;
};
enum { CALLS_LOOKED_AT = 10000, CALL_SIZES_MAX = 64 };
struct call_sizes {
    const struct settings *settings;
    struct call_size *item;
    size_t nr, alloc;
    long long calls;       /* looked at */
    struct taking *taking; /* private */
};
/* For trace_request.at_call with `each`: 0 behind the last that is looked at. */
int inputs_look_at_size(struct trace_stop *stop, void *call_sizes, struct error *err);
void call_sizes_release(struct call_sizes *sizes);
/* inflight.call-sizes/1; the same for people. */
json_t *call_sizes_json(const struct call_sizes *sizes, const char *function);
void call_sizes_text(const struct call_sizes *sizes, const char *function,
                     struct buf *out);

/* Could a call of the kernel in this program be captured? Looks at the source and at the
 * program's file, runs nothing. */
int inputs_check(struct kernel *kernel, const char *program, const char *source,
                 struct error *err);
/* For trace_request.at_call, with a struct capturing. */
int inputs_capture(struct trace_stop *stop, void *capturing, struct error *err);

#endif
