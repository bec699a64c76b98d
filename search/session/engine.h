/* A session at work, what every strategy shares: measuring once, remembering, and knowing
 * when to end. */
#ifndef SEARCH_ENGINE_H
#define SEARCH_ENGINE_H

#include "search/propose/nest.h"
#include "search/propose/reuse.h"
#include "search/session/advice.h"
#include "search/session/evidence.h"
#include "search/session/measured.h"
#include "search/session/result.h"
#include "search/session/session.h"
#include "search/session/subject.h"

struct session {
    const struct search_subject *subject;
    const struct search_runner *runner;
    const struct search_observer *observer;
    const struct search_opts *opts;
    struct search_result *result;
    struct kernel_view view;
    struct nest nest;
    double started_s;       /* of session_now_s */
    struct pace pace;       /* its clock is session_now_s, closing: session_clock_s */
    double budget_end_s;    /* pace.end_s is that, or before it the runner's end */
    double prebuild_each_s; /* building ahead took so long for each ... */
    size_t ahead_nr;        /* ... of so many that are still to be measured */
    struct choice *choice;  /* of result->measurement[i] */
    size_t choice_alloc;
    enum measure_effort *effort; /* of result->measurement[i] */
    size_t effort_alloc;
    struct {
        size_t *slot; /* i + 1, by the hash of what its plan does; 0 = none */
        size_t size;  /* a power of 2 */
    } places;
    struct evidence evidence; /* all times and comparisons, in plain environment */
    struct choices space;     /* of subject->plan, the one without steps left out */
    bool has_space;           /* only those are tried */
    /* Is any plan of the one step legal, by the plans that `show` lists? */
    enum answer may_distribute, may_fuse, may_accumulate, may_jam, may_interleave,
        may_vectors_apart, may_vectors_outside, may_divide, may_parallel;
    /* accumulators, reciprocals: it would be with --reassociate */
    bool may_reassociate, may_round;
    /* What the transformation that is being tried can gain by its rule; `judged`: it is
     * one that rules gave, so that the stop certificate may end its tries. */
    bool judged;
    struct quantity promised;
};

int session_start(struct session *session, struct error *err);
void session_release(struct session *session);

void session_say(const struct session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* CLOCK_MONOTONIC, or the clock of the options. */
double session_clock_s(const struct session *session);
/* The same, and what an interrupted session had spent before: replayed, it comes
 * to the point where it ended at the time that it was then. */
double session_now_s(const struct session *session);
/* Interrupted, out of variants, or out of time: what another try takes, and what follows
 * when it is faster, would not be done by the end of the budget. */
bool session_over(const struct session *session);
/* Until the search must end for the closing measurements. */
double session_left_s(const struct session *session);
/* Until the end of the budget in this process: an interrupted session that goes on has
 * its closing measurements, too. */
double session_end_s(const struct session *session);
/* Programs that run from now on end with the budget, those of a try so soon that there is
 * time for what may follow, until spawn_end_at(0). The kernel as written is measured
 * whatever it takes. Finds out anew how long the runner can go on. */
void session_bound(struct session *session, bool is_try);
/* What the search ends with: "the budget", or what the runner says. */
const char *session_end_of(const struct session *session);
/* Seconds for a closing comparison that begins now, when `later` more must follow, the
 * last of them that of the winner's file. */
double session_closing_s(const struct session *session, int later);
/* May something that takes so long, and can be left out, begin? If not, it is noted as
 * left out. Behind it there must be time for the winner's file. */
bool session_affords(struct session *session, double seconds, const char *what);
/* The same for checking a plan at its full size and explaining it. */
bool session_affords_explaining(struct session *session);
/* The same for a run of the plan (0 = the kernel as written, else the winner) on huge
 * pages and its comparison, which may cost a fifth of the budget: they are no part of any
 * plan. */
bool session_affords_pages(struct session *session, size_t plan);
/* What this is called. */
const char *session_pages_text(size_t plan);

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

/* No plan is tried any more: what is left are comparisons. */
void session_no_more(const struct session *session);

/* Measures i to the end: its results at the full size, and what limits it. Left out
 * where there is no time for that and for its file's check behind it, which then decides.
 * *right: nothing says that it is wrong. */
int session_explain(struct session *session, size_t i, bool *right, struct error *err);

/* Compares the results of i, which was timed, at the full size, unless that was done.
 * What is not right has no time any more; *right: it is. */
int session_check(struct session *session, size_t i, bool *right, struct error *err);
/* Is there time for that, and for what closes the session? */
bool session_affords_check(const struct session *session);

/* The place of the choice's measurement in the plain environment; measurement_nr = it was
 * not measured. */
size_t session_find(const struct session *session, const struct choice *choice);
size_t session_find_in(const struct session *session, const struct choice *choice,
                       const struct environment *environment);
/* The last measurement can be found from now on, with those before it. */
void session_add_place(struct session *session);
/* The same of the choice or of one that does the same: tiles that hold all of a loop are
 * alike whatever their size. */
size_t session_find_alike(const struct session *session, const struct choice *choice);

/* One quick run more of measurement i, unless it was measured longer: its time becomes
 * that of all runs, each of the same weight, and its interval holds how far they lie
 * apart. A run that fails takes its place. */
int session_repeat(struct session *session, size_t i, struct error *err);

/* time(a) / time(b), interleaved, over at most `seconds`. */
int session_compare(struct session *session, size_t a, size_t b, double seconds,
                    struct quantity *ratio, struct error *err);

/* The same in what the session keeps running, where there is such a thing. */
int session_look(struct session *session, size_t a, size_t b, double seconds,
                 struct quantity *ratio, struct error *err);

/* As session_compare, again and again, until it is decided whether b is faster beyond the
 * noise (or it is sure to be faster by less than a gain worth the name), for at most four
 * times `seconds`. All of these, and nothing that was measured before, are the answer. */
int session_compare_surely(struct session *session, size_t a, size_t b, double seconds,
                           struct quantity *ratio, struct error *err);
/* Faster beyond the noise, and by what is worth the name. */
bool session_is_gain(struct quantity ratio);

/* Measurement i ended well and has a time. */
bool session_timed(const struct session *session, size_t i);

/* 0 = legal; else the reason is in `err` and, for illegal plans, in result->pruned. */
int session_legal(struct session *session, const struct choice *choice,
                  struct error *err);
/* Whether the reason is about the plan, which is noted then. */
bool session_note_illegal(struct session *session, const struct choice *choice,
                          const struct error *reason);
/* Whether it is legal, or becomes so by what its refusals ask for, a step each; then that
 * is the choice. */
bool session_remedied(struct session *session, struct choice *choice);
/* The same of a plan that is only thought of: its refusal is not noted. */
bool session_can_be(struct session *session, struct choice *choice);
/* Why the choice is not legal, of those asked; NULL = it is, or was not asked. */
const char *session_refusal(const struct session *session, const struct choice *choice);
void session_prune(struct session *session, const char *plan, const char *rule,
                   const char *reason);

/* What is left of the rule's weight by its track record: above 0, at most 1. */
double session_rule_factor(const struct session *session, const char *rule);

/* What the runner tells of them. */
struct search_looks session_looks(const struct session *session);

/* The baseline, explained. Fails when it does not run. */
int session_baseline(struct session *session, struct error *err);

/* The outcome of advice whose plan became the best. */
extern const char SESSION_KEPT[];

#endif
