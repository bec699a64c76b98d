/*
 * The rows of the paper (tests/data/paper/rows.json) and what rules say of them: shared
 * by bench/paper and the suite `paper`. Rows go the whole way: machine and bandwidth ->
 * occupancy -> metrics -> rules.
 */
#ifndef BENCH_PAPER_ROWS_H
#define BENCH_PAPER_ROWS_H

#include "core/occupancy/occupancy.h"
#include "rules/rules.h"

struct error;

struct paper_row {
    const char *id, *application_id, *transformation; /* NULL: nothing was tried on it */
    struct json_at at, application, machine;
    double gbs, latency_ns, occupancy, speedup, random_share, threads;
    bool consistent, tried;
};

/* The cursors of the rows point into it: it stays where it is. */
struct paper {
    json_t *root;
    struct json_at top, machines, applications, list;
    struct paper_row *row;
    size_t nr;
};
int paper_read(struct paper *paper, struct error *err);
void paper_release(struct paper *paper);

/* How much of it is told to the rules: what the paper's tables and text say without the
 * run's outcome; also what we assume of the code; also what the paper knows from the run.
 */
enum paper_given { PAPER_BEFORE, PAPER_ASSUMED, PAPER_AFTER, PAPER_GIVEN_NR };

enum paper_class { PAPER_GAIN, PAPER_MARGINAL, PAPER_LOSS, PAPER_CLASS_NR };
/* Above 1.05, below 0.98, between. */
enum paper_class paper_class_of(double speedup);
const char *paper_class_word(enum paper_class class);

/* Release with occupancy_release(). */
int paper_occupancy(const struct paper_row *row, struct occupancy *out,
                    struct error *err);
/* The verdict on what the row tried; rule "" = no opinion. */
struct paper_opinion {
    bool advised; /* try; no opinion advises nothing */
    enum verdict verdict;
    char rule[64];
};
int paper_judge(const struct rule_set *set, const struct paper_row *row,
                enum paper_given given, struct paper_opinion *out, struct error *err);

struct paper_tally {
    size_t nr, agree;             /* try agrees with a gain, all else with none */
    size_t of[2][PAPER_CLASS_NR]; /* [not advised, advised][class] */
};
void paper_count(struct paper_tally *tally, const struct paper_row *row,
                 const struct paper_opinion *opinion);

#endif
