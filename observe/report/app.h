/* inflight advise -- PROGRAM: which loop of an application, by sampling, and what to type
 * next (inflight.application/1). */
#ifndef ADVISOR_APP_H
#define ADVISOR_APP_H

#include "advisor/cli/settings.h"
#include "advisor/report/numbers.h"
#include "observe/observe.h"

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
};

struct app {
    struct samples samples;
    struct hot hot;
    struct quantity cost_s; /* of one sample, in the program's time */
    struct rule_set *rules; /* whose words the answers use; NULL = none were asked */
    struct app_row *row;    /* hottest first */
    size_t row_nr;
    bool recorded;      /* read from a file: nothing was run */
    bool unknown_build; /* the commands say BUILD for a command that was not found */
};
void app_release(struct app *app);

/* Fills the rows. app_rows.c, app_next.c. */
int app_explain(struct app *app, const struct settings *settings, struct error *err);
void app_next(struct app *app, const struct settings *settings);

/* "./app 3 'a b'": the command as it was typed. */
void app_command(const struct samples *samples, struct buf *out);
/* How it ended, where that is not status 0; "" else. Caller frees. */
char *app_end(const struct samples *samples);
/* Of the CPU time in user mode, what the samples stand for: well below 1 where processes
 * end before their first sample is due. Unknown CPU time: 1. */
double app_seen(const struct samples *samples);
/* Share of CPU time that sampling took; unknown where the cost is. */
struct quantity app_overhead(const struct app *app);

void app_text(const struct app *app, bool colour, int columns, struct buf *out);
json_t *app_json(const struct app *app);

/* The command: settings->program has words, or settings->samples names a file. */
int advise_program(const struct settings *settings, struct error *err);

#endif
