/* Variants of a kernel in one program that compares what they compute with the first's.
 */
#ifndef TESTS_VARIANTS_PROGRAMS_H
#define TESTS_VARIANTS_PROGRAMS_H

#include <stdbool.h>

#include "core/base/array.h"
#include "core/base/buf.h"

struct programs {
    char *dir;
    struct strvec argv;     /* the compiler's */
    struct buf main, table; /* declarations, {"plan", function} */
    size_t nr;
};

/* `words`: the compiler and its flags. False after a reported failure. */
bool programs_start(struct programs *programs, const char *words);
void programs_release(struct programs *programs);
/* The text defines `kernel`, which becomes kernel_N; the first one is the original. */
void programs_add(struct programs *programs, const char *plan, const char *text);
/* Compiles main and what was added, runs it: both must end well and say nothing. */
void programs_build(struct programs *programs, const char *main);
/* The same with a main that calls run_all(variants, nr, ARGUMENT) of the header. */
void programs_run(struct programs *programs, const char *header, const char *argument);

#endif
