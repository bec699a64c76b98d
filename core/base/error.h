/*
 * The one way to report a failure. A function that can fail returns 0 or -1 and takes
 * `struct error *err` last; on -1 err->text is a whole sentence fit to print: problem
 * first, subject in quotes, remedy where there is one, no capital at the start, no full
 * stop at the end. Only main() prints and exits.
 */
#ifndef CORE_BASE_ERROR_H
#define CORE_BASE_ERROR_H

#include <stdarg.h>

/* name, exit status of the program, text for --help */
#define STATUS_MAP(X)                                                                    \
    X(OK, 0, "done, also when there is nothing to improve")                              \
    X(FAILED, 1, "failed")                                                               \
    X(USAGE, 2, "wrong use of the command line")                                         \
    X(INPUT, 3, "an input file (source, profile, rules, database) is not valid")         \
    X(ILLEGAL, 4, "the plan is not legal for this kernel")                               \
    X(UNVERIFIABLE, 5,                                                                   \
      "the kernel crashes, hangs or differs between two runs of itself")                 \
    X(MISSING, 6, "something needed is not there (compiler, space, memory, counters)")   \
    X(INTERNAL, 7, "an internal error: what was made is wrong, and was not written")

enum status {
#define X(name, exit_status, text) STATUS_##name,
    STATUS_MAP(X)
#undef X
};

struct error {
    enum status status;
    char text[2048];
    char remedy[1024]; /* what to ask for instead, in the words of what was asked for; ""
                          = not known */
};

/* Records the failure unless one is recorded already (the first, innermost, wins). err
 * may be NULL. Returns -1. */
int fail(struct error *err, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int fail_va(struct error *err, enum status status, const char *format, va_list args);

/* Puts "context: " before the text of a recorded failure. Returns -1, so `return
 * fail_in(err, "...")` works. */
int fail_in(struct error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* For a failure that was just recorded. The first one stays; what does not fit is none.
 */
void error_remedy(struct error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Records the failure of `from`, with its remedy. Returns -1. */
int fail_as(struct error *err, const struct error *from);

/* Back to "no failure". */
void error_clear(struct error *err);

int status_exit(enum status status); /* the program's exit status */

#endif
