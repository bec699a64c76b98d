/* What an application printed, run after run: what differs from run to run anyhow (times,
 * dates) and what does not. */
#ifndef CORE_OBSERVE_APP_OUTPUT_H
#define CORE_OBSERVE_APP_OUTPUT_H

#include "core/base.h"

/* The lines of a first output, and which of them later outputs of the same program did
 * not repeat. {0} is a valid empty one. */
struct app_output {
    struct buf text; /* the first, whole */
    bool *changing;  /* of each of its lines */
    size_t line_nr;
    size_t runs;
    bool other_length; /* a later one had another number of lines */
};
void app_output_release(struct app_output *output);

/* One more output of the same program. */
void app_output_add(struct app_output *output, const char *text);

/* Lines of `text`, another program's output, that differ from those that the first
 * program repeats; lines that it does not repeat do not count. Missing and additional
 * ones do, unless the first program's own runs differ in their number. */
size_t app_output_differs(const struct app_output *output, const char *text);

/* Lines that the program itself prints otherwise from run to run. */
size_t app_output_changing(const struct app_output *output);

#endif
