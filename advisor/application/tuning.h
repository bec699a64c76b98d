/* What the steps of `tune -- PROGRAM` share. Private to the room. */
#ifndef ADVISOR_APPLICATION_TUNING_H
#define ADVISOR_APPLICATION_TUNING_H

#include "advisor/application/application.h"
#include "advisor/application/trees.h"
#include "advisor/cli/settings.h"
#include "observe/in_app/in_app.h"
#include "observe/in_app/inputs_capture.h"

struct tuning {
    struct application *app;
    const struct settings *settings;
    struct progress *progress;
    char *scratch;
    struct trees trees;
    double budget_end_s; /* of clock_s(); infinite = no budget */
    double end_s;        /* of what is before the last comparison */
    double until_s; /* likewise, of what is at hand: that of the loop or of the memory */
    double build_s; /* that a build of it all takes, */
    double run_s;   /* and a run */
};

/* With that time, if any: until_s of what is to begin. */
void tuning_share(struct tuning *tuning, double share);
/* Of the time of what is at hand the rest, when so much is spared; 0 = no budget. */
double tuning_left_s(const struct tuning *tuning, double spared_s);
/* To build and run two versions, by so many pairs of runs. */
double tuning_pairs_s(const struct tuning *tuning, int pairs);
/* Why a change is not begun with: what is left is less than the `need_s` that it takes.
 * NULL = it is enough; caller frees. */
char *tuning_too_late(const struct tuning *tuning, double need_s);

/* A tree against itself with what is changed. */
struct comparison {
    enum tree tree;
    const char *file; /* of the program's sources; replaced by `text` */
    const struct buf *text;
    const struct in_app_file *further;
    size_t further_nr;
    const char *environment[2]; /* "NAME=value" of each side's runs; NULL = ours */
    const char *function;       /* whose time is looked at; NULL = none */
};
int tuning_compare(const struct tuning *tuning, const struct comparison *comparison,
                   struct in_app_result *result, struct error *err);

/* The same in steps, where several texts or settings of one file are compared with one
 * tree: it is copied, built and run as it is only once. Close it in any case. */
struct comparing {
    struct settings settings;
    struct in_app app;
    char *in_app, *below; /* owned */
};
int tuning_open(const struct tuning *tuning, struct comparing *comparing,
                const struct comparison *comparison, struct error *err);
int tuning_confirm(const struct tuning *tuning, struct comparing *comparing,
                   const struct comparison *comparison, struct in_app_result *result,
                   struct error *err);
void tuning_close(struct comparing *comparing);

/* What came of a comparison, which may have failed itself (with `failure`). 0: *why is
 * NULL when the program is faster beyond the noise and prints what it printed, else why
 * what was tried is not kept, a sentence that the caller frees. -1: interrupted. */
int tuning_judge(const struct tuning *tuning, int failed, const struct error *failure,
                 const struct in_app_result *result, char **why, struct error *err);

/* A file for the patch, and for all that is compared from now on. */
int tuning_keep(const struct tuning *tuning, const char *file, const struct buf *text,
                struct error *err);
/* The patch of all files kept so far. */
int tuning_write_patch(const struct tuning *tuning, struct error *err);

/* ---- a loop ---- */

void loop_end(struct application_loop *loop, enum loop_end end, char *why);
/* Ready, or refused with the reason. The prepared tree is built with what is to be
 * captured. */
int loop_make_ready(struct tuning *tuning, struct application_loop *loop,
                    struct error *err);
int loop_tune(struct tuning *tuning, struct application_loop *loop, struct error *err);

/* What it takes at least. */
double loop_least_s(const struct tuning *tuning);

/* A command of ours for a loop of `source`, the words that all of them take. */
void loop_begin_step(const struct tuning *tuning, const char *command, const char *source,
                     const struct application_loop *loop, struct strvec *words);
/* 0 with *why NULL when it went well; -1 only where nothing could be tried, or
 * interrupted. Caller frees *why. */
int loop_step(const struct tuning *tuning, const struct strvec *words, struct buf *out,
              char **why, struct error *err);
/* The program of the prepared tree, run unseen until its recorder has told what is wanted
 * of the loop; `settings`, which the caller keeps, say how its source is read. */
struct recording_request loop_recording(const struct tuning *tuning,
                                        const struct application_loop *loop,
                                        const char *source, struct settings *settings);
int loop_capture(const struct tuning *tuning, const struct application_loop *loop,
                 const char *source, long long call, const char *inputs, char **why,
                 struct error *err);

/* With which sizes it is called; that of most work first. Where that cannot be known the
 * loop has none. */
int sizes_look(const struct tuning *tuning, struct application_loop *loop,
               const char *source, struct error *err);
/* Is the plan faster at the other sizes, too? Where it is slower at smaller ones, they
 * are left to the original loop: the plan and what is written change. */
int sizes_judge(const struct tuning *tuning, struct application_loop *loop,
                const char *source, const char *inputs, const char *written,
                struct error *err);

/* Which changes of how the program's memory is got and mapped are worth a try. */
void memory_look(struct tuning *tuning);
/* Tries those in a share of the time, and keeps what makes the program faster; what that
 * is too short for stays ready. */
int memory_try(struct tuning *tuning, double share, struct error *err);
/* What is ready still has no time. */
void memory_end(const struct tuning *tuning);
/* Of the program's CPU time, what passes in the kernel; page faults do. */
double memory_kernel_share(const struct application *app);
/* That is much, and that share of the time is enough: the memory is looked at before the
 * loops. */
bool memory_is_first(const struct tuning *tuning, double share);

#endif
