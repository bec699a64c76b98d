/*
 * search: which variant next. Strategies are pure: they ask through two function tables
 * (the subject: what may be tried; the runner: what it gave) and tell an observer. They
 * print and store nothing, so a recorded space replays without a compiler.
 */
#ifndef SEARCH_STRATEGY_H
#define SEARCH_STRATEGY_H

#include <stddef.h>

struct error;
struct search_observer;
struct search_opts;
struct search_result;
struct search_runner;
struct search_subject;
struct strvec;

/* name, meaning: parsing and help read it */
struct search_strategy {
    const char *name, *meaning;
};
const struct search_strategy *search_strategies(size_t *nr);

/* Runs the strategy. Interrupted (spawn_interrupted) it returns 0 with what is known. */
int search_run(const struct search_subject *subject, const struct search_runner *runner,
               const struct search_observer *observer, const struct search_opts *opts,
               struct search_result *result, struct error *err);

/* The grid of plans that knows nothing of the rules, illegal ones left out: order, tiles,
 * unroll-and-jam, unroll, simd, prefetch, stores past the caches, joined and split loops,
 * with as many values of each as make 500 plans at most. */
int search_grid(const struct search_subject *subject, struct strvec *plans,
                struct error *err);
void search_result_release(struct search_result *result);

#endif
