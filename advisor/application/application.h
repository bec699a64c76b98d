/*
 * inflight tune -- PROGRAM: from a program to a patch that makes it faster. The project
 * is copied, built and sampled there; each loop that takes the time is captured and tuned
 * by our own commands, one after the other, and kept where the program is faster with it.
 * The user's files stay as they are: what comes out is a patch.
 */
#ifndef ADVISOR_APPLICATION_H
#define ADVISOR_APPLICATION_H

#include "core/process/progress.h"
#include "observe/in_app/in_app_result.h"
#include "observe/report/app.h"
#include "variants/kernel/kernel_outline.h"

struct call_sizes;
struct error;

/* What became of a loop. word, name in documents */
#define LOOP_END_MAP(X)                                                                  \
    X(REFUSED, "refused")         /* cannot be tuned; known before anything runs */      \
    X(READY, "ready")             /* would be tuned */                                   \
    X(FAILED, "failed")           /* its call was not captured, or the search failed */  \
    X(NOTHING, "nothing")         /* no plan is faster */                                \
    X(UNCONFIRMED, "unconfirmed") /* the program gains nothing, or fails with it */      \
    X(UNDECIDED, "undecided")     /* interrupted before anything was known about it */   \
    X(CONFIRMED, "confirmed")
enum loop_end {
#define X(name, word) LOOP_##name,
    LOOP_END_MAP(X)
#undef X
};

/* Calls with the same numbers. */
enum { SIZE_VALUES_MAX = 8 };
struct loop_size {
    char *numbers; /* "n = 258, m = 3" */
    char *name[SIZE_VALUES_MAX];
    long long value[SIZE_VALUES_MAX];
    size_t value_nr;
    long long calls, captured_call; /* which of all calls stands for these */
    double work;                    /* share of all calls' */
    struct quantity gain;           /* of the plan alone; unknown = it was not tried */
    bool original;                  /* left to the original loop */
    char *why; /* that it was not tried, where it was wanted; NULL = it was */
};

/* What sums in another order would bring, for which nobody gave permission. {0} = nothing
 * is expected of it. Texts are owned. */
struct application_question {
    double expected; /* gain of the loop */
    char *plan;      /* NULL = none was found */
    struct quantity alone;
    struct in_app_result in_app; /* of the program as tuned so far */
    char *why;                   /* it was not tried or measured */
};

/* A hot loop on its way. Texts are owned. */
struct application_loop {
    const struct app_row *row;
    char *
        file; /* its source, relative to the project; NULL = the program's own has none */
    char *module; /* the program or library that it is in, in the project as it is */
    int line;
    char
        *routine; /* that is read: the row's, or the function, a loop of which calls it
                     and is tuned with its loops in it; then `line` is that of the call */
    const struct application_loop *with; /* which this one is tuned together with: one has
                                            the other's loops in it; NULL = none */
    char *function; /* that is tuned: the routine itself, or a loop of it */
    char *prepared; /* how the source was changed for it, a phrase; NULL = it was not */
    struct outlined outlined; /* likewise; function NULL = it was not */
    enum loop_end end;
    char *why;              /* a sentence where it did not end well */
    long long threads;      /* that the program runs it in at a time */
    double parallel;        /* gain of it that is expected of all cores; 0 = none is */
    char *plan;             /* NULL = none */
    struct quantity alone;  /* gain of the written code by itself */
    struct loop_size *size; /* that of most work first, which it is tuned for */
    size_t size_nr;
    bool sizes_are_some; /* not all calls were looked at: there may be more */
    long long calls;     /* that these are of */
    struct in_app_result in_app;
    struct application_question question;
};

/* How the program's memory is got and mapped: each of these is for all of it, and found
 * by trying. name, phrase */
#define MEMORY_MAP(X)                                                                    \
    X(MALLOC_HUGE, "malloc: huge pages")                                                 \
    X(MALLOC_KEPT, "malloc: keeps memory")                                               \
    X(STATIC_HUGE, "static: huge pages")
enum memory_change {
#define X(name, phrase) MEMORY_##name,
    MEMORY_MAP(X)
#undef X
        MEMORY_NR
};
const char *memory_name(enum memory_change change);
/* MEMORY_STATIC_HUGE: C and C++ for the end of a source file of the program. Its symbols
 * are the linker's. */
extern const char memory_constructor[];

struct application_memory {
    enum loop_end end; /* as of a loop */
    char *why;         /* owned; a sentence where it did not end well */
    struct in_app_result in_app;
};

struct application_file {
    char *path; /* relative to the project */
    struct buf text;
};

struct application {
    const struct settings *settings;
    struct progress progress;
    char *command; /* the program and its words, as shell text */
    char *root;    /* of the user's project */
    char *build;   /* shell text */
    bool build_is_guessed;
    char *output; /* the patch's file */
    struct app app;
    long page_faults; /* of a run as written, that no disk was read for */
    char *source;     /* a file of C or C++ that the program is built from; NULL = none */
    struct application_memory memory[MEMORY_NR];
    char *environment; /* "NAME=value" that the program is faster with; NULL = none */
    struct application_loop *loop;
    size_t loop_nr;
    struct application_file *file; /* that the patch changes */
    size_t file_nr, file_alloc;
    struct in_app_result
        whole;  /* all that is confirmed, against the program as written */
    char *late; /* why that was not measured of several changes; NULL = it was */
    bool interrupted;
};

/* The command. */
int tune_program(const struct settings *settings, struct error *err);

/* What no end was known of is undecided then. */
void application_interrupt(struct application *application);

/* Why nothing is claimed of all loops together; NULL = nothing stands against it. */
const char *application_doubt(const struct application *application);

void loop_sizes_take(struct application_loop *loop, const struct call_sizes *sizes);
void loop_sizes_release(struct application_loop *loop);
/* Is there a number, and of it a least value, by which the sizes at which the plan is
 * slower part from the others? Borrows the name. */
bool loop_sizes_divide(const struct application_loop *loop, const char **name,
                       long long *least);

void application_text(const struct application *application, bool colour, int columns,
                      struct buf *out);
json_t *application_json(const struct application *application);

#endif
