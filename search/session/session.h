/* What a search is given. */
#ifndef SEARCH_SESSION_H
#define SEARCH_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/quantity.h"

struct environment;
struct rule_set;

/* How much of its weight a rule has left, by what it was worth on this machine. */
struct rule_record {
    const char *rule;
    double factor; /* above 0, at most 1 */
};

/* What counters say of the kernel as written; the rules are told it as long as nothing
 * else is the best. */
struct search_fact {
    const char *metric; /* of rules.h */
    struct quantity value;
};

struct search_opts {
    const char *strategy; /* a name of search_strategies(); NULL = the first */
    /* Until the caller can report, closing measurements and what he measures of the
     * written file included; 0 = 100. It begins at began_s of clock_s(), 0 = now. The
     * kernel as written is measured whatever it takes. */
    double budget_s, began_s;
    double (*clock)(void);   /* NULL = clock_s() */
    bool plans_only;         /* no huge pages either */
    size_t budget_variants;  /* 0 = no limit */
    unsigned long long seed; /* random, local, population; 0 = 1 */
    const struct rule_set *rules;
    /* Environments to try on the kernel as written and on the winner, one after the
     * other, each on top of those that paid; {0} in what is not to change. Huge pages are
     * tried without being named. Borrowed. */
    const struct environment *option;
    size_t option_nr;
    bool advise_only;    /* measure the baseline, judge, stop */
    bool audit;          /* measure what rules pruned, too, within the budget */
    bool hide_occupancy; /* rules are not told of queues, and there are no bounds: what
                            guidance is worth without */
    /* Seconds that answers from this session's own records took when they were measured,
     * as of now: they count as spent, so that a session that goes on has what was left of
     * its budget. NULL = none. recorded_skipped_s() gives it. */
    const double *skipped_s;
    const struct rule_record *record; /* what the rules were worth so far; NULL = not told
                                       */
    size_t record_nr;
    const struct search_fact *fact;
    size_t fact_nr;
};
/*
 * Seconds for one closing comparison, where there is time: a quarter of the budget, 2 at
 * least and 8 at most. There are up to four: the winner, the winner's file, and huge
 * pages without and with the winner; they get shorter with the time that is left, down to
 * the least that gives an interval, and the last two are left out when there is none.
 */
double search_closing_s(double budget_s);

/* Nothing closer to 1 than this is called a gain, however narrow the interval: what is
 * left of drift after interleaving. */
#define SESSION_MIN_GAIN 1.01

#endif
