/* inflight advise -- PROGRAM: which loop of an application, by sampling, and what to type
 * next (inflight.application/1). */
#ifndef ADVISOR_APP_H
#define ADVISOR_APP_H

#include "advisor/cli/settings.h"
#include "advisor/report/numbers.h"
#include "observe/observe.h"

struct error;

/* A hot routine that is worth a look. */
struct app_row {
    const struct hot_routine *routine;
    struct quantity whole_if_twice; /* the program, if the routine were 2x as fast */
    /* Where cache misses were sampled: what the routine moves, and what follows. */
    struct quantity gbs;   /* from memory, all its threads together */
    struct answer *answer; /* owned; NULL = not known, */
    char *answer_why;      /* and why; NULL = nothing was counted */
    /* The next commands, or why there are none. */
    char *source;         /* as it is to be typed; NULL = the routine has no source */
    int line;             /* that a kernel is asked for by */
    char *capture, *tune; /* NULL: */
    char *why_not;        /* one sentence */
    bool is_ours;         /* a loop in C or C++ whose source is here: it was read */
    char *flags_from;     /* whose flags it was read with; NULL = nobody says any */
};

struct app {
    struct samples samples;
    struct hot hot;
    struct quantity cost_s; /* of one sample, in the program's time */
    struct rule_set *rules; /* whose words the answers use; NULL = none were asked */
    struct app_row *row;    /* hottest first */
    size_t row_nr;
    bool recorded;       /* read from a file: nothing was run */
    bool unknown_build;  /* the commands say BUILD for a command that was not found */
    char *guessed_build; /* that of the commands where it is a guess; else NULL */
};
/* Of the CPU time in user mode, what the samples stand for: well below 1 where processes
 * end before their first sample is due. Unknown CPU time: 1. */
void app_text(const struct app *app, bool colour, int columns, struct buf *out);
void app_release(struct app *app);

/* From app->samples to the rows, each with its next commands or why there are none.
 * STATUS_FAILED for too few samples. */
int app_find(struct app *app, const struct settings *settings, struct error *err);

/* The command: settings->program has words, or settings->samples names a file. */
int advise_program(const struct settings *settings, struct error *err);

#endif
