/*
 * A runner whose variants are judged elsewhere: by workers (serve.h) of one kind of node,
 * through a folder that all see. What the search asks for is asked of one of them, the
 * home, so that it builds on what was asked before; variants that it announces are timed
 * ahead by all of them, each beside the same reference on its own node.
 */
#ifndef SEARCH_REMOTE_H
#define SEARCH_REMOTE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/quantity.h"
#include "core/files/json.h"

struct error;
struct machine;
struct search_runner;
struct search_subject;

struct remote_opts {
    const char *folder;
    double silent_s;  /* as in struct dispatch_opts */
    const char *last; /* a file of this name in the folder: no worker will come any more;
                         NULL = nobody tells */
    /* How many node-seconds may be used in all, when so many are: asked twice a second.
     * NULL = no limit. Workers that would use them up before the search ends are sent
     * away, and where one alone would, the search ends with them. */
    double (*node_s)(void *data, double used_node_s);
    double lasts_s; /* the search will take so long at least, as long as its end is not
                       known */
    /* What is waited for, in a sentence. May be NULL. */
    void (*say)(void *data, const char *sentence);
    void *data;
};

struct remote;
int remote_new(const struct remote_opts *opts, struct remote **remote, struct error *err);
/* Tells the workers that it is over. */
void remote_free(struct remote *remote);

/* The hello of the first worker, waited for. Borrowed; NULL = none came. */
const json_t *remote_first(struct remote *remote, struct error *err);
/* Asks any worker, whatever was asked before; before remote_open. Takes the question.
 * Caller json_decref's the answer. */
int remote_ask_first(struct remote *remote, json_t *question, json_t **answer,
                     struct error *err);
/* From now on each worker is asked this first, those that come later, too; all but the
 * one that will be home with "original": to time the kernel as written. Takes the
 * question. Waits for the first one. What the workers say of it ("original_s") tells how
 * far their nodes differ. */
int remote_open(struct remote *remote, json_t *question, struct error *err);
/* The search ends at that moment of clock_s(). */
void remote_until(struct remote *remote, double end_s);
/* Asks the home. Takes the question; caller json_decref's the answer. An interrupt gives
 * *answer NULL. */
int remote_ask(struct remote *remote, json_t *question, json_t **answer,
               struct error *err);

/* `subject` and `machine` explain what was measured; `cores` that are loaded alike. */
struct search_runner remote_runner(struct remote *remote,
                                   const struct search_subject *subject,
                                   struct machine *machine, int cores);

/* The search is over, and something is waited for beside it: one round of that. The home
 * alone stays, others are sent away. Fails when it is lost; so do, from now on, questions
 * to it. */
int remote_stay(struct remote *remote, struct error *err);

/* What was used so far. */
double remote_node_s(const struct remote *remote);
/* For so long those that are there may go on; infinite = nothing limits them. */
double remote_left_s(const struct remote *remote);
/* For each worker {"node", "job", "id", "seconds", "answers", "original_s", "state",
 * "why"}. Caller json_decref's. */
json_t *remote_workers_json(const struct remote *remote);

#endif
