/* What every strategy shares: measuring once, remembering, knowing when to end, and the
 * closing measurements. */
#ifndef SEARCH_SESSION_H
#define SEARCH_SESSION_H

#include "search/propose/nest.h"
#include "search/propose/reuse.h"
#include "search/search.h"
#include "search/session/evidence.h"

struct session {
    const struct search_subject *subject;
    const struct search_runner *runner;
    const struct search_observer *observer;
    const struct search_opts *opts;
    struct search_result *result;
    struct kernel_view view;
    struct nest nest;
    double started_s;      /* of session_now_s */
    struct pace pace;      /* its clock is session_now_s, closing: session_clock_s */
    double ahead_each_s;   /* building ahead took so long for each ... */
    size_t ahead_nr;       /* ... of so many that are still to be measured */
    struct choice *choice; /* of result->measurement[i] */
    size_t choice_alloc;
    enum measure_effort *effort; /* of result->measurement[i] */
    size_t effort_alloc;
    struct evidence evidence; /* all times and comparisons, in plain environment */
    struct choices space;     /* of subject->plan, the one without steps left out */
    bool has_space;           /* only those are tried */
    /* Is any plan of the one step legal, by the plans that `show` lists? */
    enum answer may_distribute, may_fuse;
    /* What the transformation that is being tried can gain by its rule; `judged`: it is
     * one that rules gave, so that the stop certificate may end its tries. */
    bool judged;
    struct quantity promised;
    char *why; /* "rule: its reason" of what is being tried, for session_say; NULL = it
                  needs none */
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
 * whatever it takes. */
void session_bound(const struct session *session, bool is_try);
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

/* Measures i to the end: its results at the full size, and what limits it. Left out
 * where there is no time for that and for its file's check behind it, which then decides.
 * *right: nothing says that it is wrong. */
int session_explain(struct session *session, size_t i, bool *right, struct error *err);

/* The place of the choice's measurement in the plain environment; measurement_nr = it was
 * not measured. */
size_t session_find(const struct session *session, const struct choice *choice);
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
/* Whether it is legal, or becomes so by what its refusals ask for, a step each; then that
 * is the choice. */
bool session_remedied(struct session *session, struct choice *choice);
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

/* close.c: what the plan of measurement `plan` gains on huge pages over the kernel as
 * written, when `later` comparisons must follow; *gain stays as it is where that cannot
 * be had. */
int session_compare_pages(struct session *session, size_t plan, int later,
                          struct quantity *gain, struct error *err);

/* close.c: gains of the best against the baseline and of environments, interleaved; what
 * is left; why it ended. */
int session_close(struct session *session, struct error *err);

/* The outcome of advice whose plan became the best. */
extern const char SESSION_KEPT[];

/* left.c: fills result->left for the best, which is explained first where it was not. */
int session_left(struct session *session, struct error *err);
/*
 * Does the evidence say that nothing is left for measurement i (explained)? Either every
 * bound ends within the noise, or its limit is reached, no plan with less work can be
 * worth having either, and LEFT_TRIES plans gained nothing over it. NULL = no; else why,
 * one sentence. Caller frees.
 */
char *session_nothing_left(const struct session *session, size_t i);
/* Its limit is reached as far as can be told, LEFT_TRIES plans gained nothing over it,
 * and the bound of the most promising transformation still to be tried (`promised`,
 * unknown = none) may be nothing, too: what rules advise is worth no more than what they
 * do not. */
bool session_reached(const struct session *session, size_t i, struct quantity promised);
/* Either of them in the midst of tries on measurement i, none of which looks faster. */
bool session_enough(const struct session *session, size_t i);

/* audit.c: what --audit finds. A rule, not the search, left it out: */
bool audit_wants(const struct advice *advice);
void audit_begin(struct session *session, size_t best);
/* It was tried on measurement `before`, and `after` is the best now. */
void audit_note(struct session *session, const struct advice *advice, size_t before,
                size_t after);
void audit_unreached(struct session *session);
/* What the wrongly discarded cost, interleaved; after the winner stands. */
int audit_close(struct session *session, struct error *err);
void audit_release(struct search_audit *audit);

/* Facts for the rules: the choice of measurement i, the loop nest, the machine, and what
 * the measurement `explained` (i itself, or the one it was built on) says of traffic. */
/* Once, before the first facts. */
void session_ask_legality(struct session *session);
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
