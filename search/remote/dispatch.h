/*
 * Which worker gets which question, and what becomes of it when a worker is lost. Pure:
 * the caller has the clock, moves the messages, and tells what was heard.
 */
#ifndef SEARCH_DISPATCH_H
#define SEARCH_DISPATCH_H

#include <stdbool.h>
#include <stddef.h>

/* Beats may reach a listener as late as a file server's caches keep what is old: a
 * minute, on NFS (acregmax). */
#define DISPATCH_SILENT_S 90.0

struct dispatch_opts {
    double silent_s; /* a worker that is not heard of for so long is lost until it is
                        heard of again; 0 = DISPATCH_SILENT_S */
    double least_s;  /* five times the longest gap between two signs of life is enough,
                        but not less than this; 0 = silent_s */
    size_t tries;    /* a question that so many workers had in hand when they were lost is
                        given up; 0 = 3 */
};

enum dispatch_kind {
    DISPATCH_HOME, /* builds on what the search asked before: for the worker that is home
                    */
    DISPATCH_ANY   /* stands alone: for whoever has the least to do */
};

enum dispatch_state {
    DISPATCH_WAITING,
    DISPATCH_ASKED,
    DISPATCH_ANSWERED,
    DISPATCH_GIVEN_UP, /* `tries` workers were lost with it, or nobody wants to know */
};

struct dispatch;
struct dispatch *dispatch_new(const struct dispatch_opts *opts);
void dispatch_free(struct dispatch *dispatch);

/* Workers and questions are told by numbers from 0, in the order in which they came. */
/* `depth`: questions that it has at a time, so that it need not wait for the next. It
 * answers what the search waits for first, else by number: the first of each kind that it
 * has may be what it was lost with, the others were not begun. */
size_t dispatch_join(struct dispatch *dispatch, size_t depth, double now_s);
/* One that was lost has what it had, and is not asked that again. */
void dispatch_heard(struct dispatch *dispatch, size_t worker, double now_s);
/* It has ended: for good. What it was asked, others are asked. */
void dispatch_leave(struct dispatch *dispatch, size_t worker);
/* Those that were silent for too long are lost. To be called at least every 5 s while
 * somebody listens; gaps in which nobody did are not the workers'. */
void dispatch_tick(struct dispatch *dispatch, double now_s);

size_t dispatch_put(struct dispatch *dispatch, enum dispatch_kind kind);
void dispatch_drop(struct dispatch *dispatch, size_t question);
/* The next question to be sent, and to whom; false = none, or nobody is free. */
bool dispatch_next(struct dispatch *dispatch, size_t *worker, size_t *question);
/* An answer has come. True for the first one to its question; another one is not wanted,
 * whoever sent it. */
bool dispatch_take(struct dispatch *dispatch, size_t worker, size_t question,
                   double now_s);

enum dispatch_state dispatch_state(const struct dispatch *dispatch, size_t question);
/* Neither lost nor gone. */
bool dispatch_works(const struct dispatch *dispatch, size_t worker);
size_t dispatch_working(const struct dispatch *dispatch);
/* The first of these, which has answered most of what builds on each other; false = none.
 */
bool dispatch_home(const struct dispatch *dispatch, size_t *worker);

#endif
