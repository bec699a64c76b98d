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
/* Could a call of the kernel in this program be captured? Looks at the source and at the
 * program's file, runs nothing. */
int inputs_check(struct kernel *kernel, const char *program, const char *source,
                 struct error *err);
/* For trace_request.at_call, with a struct capturing. */
int inputs_capture(struct trace_stop *stop, void *capturing, struct error *err);

#endif
