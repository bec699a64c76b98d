/*
 * tune --in-app 'BUILD && RUN': does the gain survive in the application? The project is
 * copied twice; in one copy the winner stands in the source's place. Both are built and
 * run in turn; what is told is the gain of the routine and that of the whole program.
 */
#ifndef ADVISOR_IN_APP_H
#define ADVISOR_IN_APP_H

#include <stdint.h>

#include "core/base/array.h"
#include "core/base/buf.h"
#include "observe/copies/copies.h"
#include "observe/in_app/in_app_result.h"

struct error;
struct progress;
struct settings;

/* 0 = as written, 1 = tuned, throughout. */
struct in_app_side {
    char *root;   /* of the copy */
    char *source; /* the kernel's file in it */
    char *mark;   /* folder by which a run tells that it holds that file */
    char *cwd;    /* where it is run: where its build ended */
};

/* A further file of the tuned side. */
struct in_app_file {
    const char *path; /* relative to the project */
    const struct buf *text;
};

struct in_app {
    const struct settings *settings;
    struct progress *progress;
    char *build, *run; /* shell text */
    struct project project;
    struct in_app_side side[2];
    const char
        *root; /* of the project as its user knows it: what was copied may be a copy */
    char *left_out;   /* a build folder that was not copied; NULL = none */
    double limit_s;   /* of a run */
    double budget_s;  /* of all pairs */
    size_t pairs_max; /* 0 = as many as the budget allows; for tests, which ask no time */
    /* Of the caller, which may set them before in_app_confirm: */
    const struct in_app_file *further;
    size_t further_nr;
    const char *const *env[2]; /* with which each side is run, "NAME=value", NULL at the
                                  end; NULL = none */
    double end_s; /* of clock_s(): no pair of runs begins that would not end by then; 0 =
                     the budget decides alone */
    struct app_output output;
    struct in_app_pair first; /* the run as it is: of side 0 */
    double first_end_s;       /* of clock_s() */
    uint64_t random;
    char *function;      /* the routine's name; NULL = none is looked at */
    double frequency_hz; /* of sampling; 0 = it is not to be had */
    char *unsampled;     /* why the routine's time is not known; NULL = it is */
};

/* The words of --in-app, before anything is spent. STATUS_USAGE; nothing without
 * --in-app. */
int in_app_check(const struct settings *settings, struct error *err);

/*
 * Copies the project below `scratch` (the routine is `function` of settings->file),
 * builds it as it is and runs it once: what fails here would fail after the search, too.
 * STATUS_FAILED with the compiler's first complaint, the program's end, or that what ran
 * was not built from the copy. Does nothing without --in-app. Release it in any case.
 */
int in_app_prepare(struct in_app *app, const struct settings *settings,
                   struct progress *progress, const char *scratch, const char *function,
                   struct error *err);
/* The same for `project`, of which a copy is taken, and a file of it; `root` (borrowed)
 * is how the user knows it. `function`: NULL = the routine has other names in the two,
 * and its time is not looked at. */
int in_app_prepare_in(struct in_app *app, const struct settings *settings,
                      struct progress *progress, const char *scratch,
                      const struct project *project, const char *root,
                      const char *function, struct error *err);
void in_app_release(struct in_app *app);

/* Builds the second copy with `tuned` (the whole text of the source), and runs both.
 * What cannot be claimed, and why, is in the result; -1 only when nothing could be tried.
 */
int in_app_confirm(struct in_app *app, const struct buf *tuned,
                   struct in_app_result *result, struct error *err);

/* Private to in_app*.c. */
struct in_app_run {
    double seconds;
    double routine_s;                         /* NaN = not known */
    double routine_share, routine_busy_share; /* likewise; see struct in_app_pair */
    bool proven;                              /* it held the file of its copy */
    struct strvec facts;                      /* what that was compiled with */
    long peak_kib;                            /* of memory */
    size_t threads;                           /* that the routine ran in; 0 = not known */
    char *flags;   /* of its file, from debug information; NULL = not known */
    char *failure; /* a sentence; NULL = it ran well */
    struct buf out;
};
#endif
