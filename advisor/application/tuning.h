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
    double end_s; /* of clock_s(); 0 = no budget */
};

/* Of what is left for so many parts, a share; 0 = no budget. */
double tuning_budget_s(const struct tuning *tuning, size_t parts_left, double share);

/* A tree against itself with what is changed. */
struct comparison {
    enum tree tree;
    const char *file; /* of the program's sources; replaced by `text` */
    const struct buf *text;
    const struct in_app_file *further;
    size_t further_nr;
    const char *environment[2]; /* "NAME=value" of each side's runs; NULL = ours */
    const char *function;       /* whose time is looked at; NULL = none */
    double budget_s;            /* 0 = as the settings say */
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
int tuning_confirm(struct comparing *comparing, const struct comparison *comparison,
                   struct in_app_result *result, struct error *err);
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
int loop_tune(struct tuning *tuning, struct application_loop *loop, size_t loops_left,
              struct error *err);

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

/* Tries what changes how the program's memory is got and mapped; keeps what makes the
 * program faster. */
int memory_try(struct tuning *tuning, struct error *err);

#endif
