/* What every strategy shares: measuring once, remembering, knowing when to end, and the
 * closing measurements. */
#ifndef SEARCH_SESSION_H
#define SEARCH_SESSION_H

#include "search/nest.h"
#include "search/search.h"

/* Nothing closer to 1 than this is called a gain, however narrow the interval: what is
 * left of drift after interleaving. */
#define SESSION_LEAST_GAIN 1.01

struct session {
    const struct search_subject *subject;
    const struct search_runner *runner;
    const struct search_observer *observer;
    const struct search_opts *opts;
    struct search_result *result;
    struct kernel_view view;
    struct nest nest;
    double budget_s;
    double started_s, deadline_s; /* CLOCK_MONOTONIC; the closing measurements may run
                                     past the deadline */
    struct choice *choice;        /* of result->measurement[i] */
    size_t choice_alloc;
    enum measure_effort *effort; /* of result->measurement[i] */
    size_t effort_alloc;
    struct choices space; /* of subject->plan, the one without steps left out */
    bool has_space;       /* only those are tried */
};

int session_start(struct session *session, struct error *err);
void session_release(struct session *session);

void session_say(const struct session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Interrupted, out of time or out of variants. */
bool session_over(const struct session *session);
double session_left_s(const struct session *session);

/* Measures the choice unless it was measured with this effort or more; *index is its
 * place in result->measurement. `limit_s`: a QUICK run may stop when the call takes
 * longer, 0 = never. 0 also for outcomes other than OK. */
int session_measure(struct session *session, const struct choice *choice, bool huge_pages,
                    enum measure_effort effort, double limit_s, size_t *index,
                    struct error *err);
/* The same under any environment. */
int session_measure_in(struct session *session, const struct choice *choice,
                       const struct environment *environment, enum measure_effort effort,
                       double limit_s, size_t *index, struct error *err);

/* One quick run more of measurement i, unless it was measured longer: its time becomes
 * that of all runs, each of the same weight, and its interval holds how far they lie
 * apart. A run that fails takes its place. */
int session_repeat(struct session *session, size_t i, struct error *err);

/* time(a) / time(b), interleaved, over at most `seconds`. */
int session_compare(struct session *session, size_t a, size_t b, double seconds,
                    struct quantity *ratio, struct error *err);

/* The same, and once more in three times the time when what looks like a gain worth
 * having may be none: the second answer stands. */
int session_compare_surely(struct session *session, size_t a, size_t b, double seconds,
                           struct quantity *ratio, struct error *err);

/* Measurement i ended well and has a time. */
bool session_timed(const struct session *session, size_t i);

/* 0 = legal; else the reason is in `err` and, for illegal plans, in result->pruned. */
int session_legal(struct session *session, const struct choice *choice,
                  struct error *err);
void session_prune(struct session *session, const char *plan, const char *rule,
                   const char *reason);

/* The baseline, explained. Fails when it does not run. */
int session_baseline(struct session *session, struct error *err);

/* close.c: gains of the best against the baseline and of environments, interleaved; what
 * is left; why it ended. */
int session_close(struct session *session, struct error *err);

/* Facts for the rules: the choice of measurement i, the loop nest, the machine, and what
 * the measurement `explained` (i itself, or the one it was built on) says of traffic. */
int session_facts(const struct session *session, size_t i, size_t explained,
                  struct rule_facts *facts, struct error *err);

/* The strategies. */
int guided_run(struct session *session, struct error *err);
int exhaustive_run(struct session *session, struct error *err);
int random_run(struct session *session, struct error *err);
int local_run(struct session *session, struct error *err);
int population_run(struct session *session, struct error *err);

/* All choices of the grid that are legal. */
int grid_choices(struct session *session, struct choices *out, struct error *err);

#endif
