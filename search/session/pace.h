/*
 * What measuring this kernel costs, and what time that leaves: the arithmetic behind the
 * end of a search. Pure: the clock is the caller's.
 */
#ifndef SEARCH_PACE_H
#define SEARCH_PACE_H

#include <stdbool.h>
#include <stddef.h>

/* First looks and comparisons in passing, so far. */
struct search_looks {
    size_t nr;      /* 0 = there are none, or nobody tells */
    double seconds; /* of all of them, their wall time */
    double error;   /* the chance that any of their answers is wrong is at most so much */
};

/* What measuring takes by what was seen so far, seconds; 0 = not known. */
struct search_costs {
    double try_s;        /* a QUICK run */
    double comparison_s; /* the shortest comparison */
    double check_s;      /* a written file: building it, comparing its results */
    double explain_s;    /* an EXPLAIN run, comparing results at full size included */
    double look_s;       /* a comparison in passing; 0 = as any other */
    struct search_looks looks;
};

struct pace {
    double budget_s, end_s; /* the prompt is to be back at end_s */
    double try_s;           /* a first run takes, building included */
    double over_s; /* a comparison takes so much longer than the seconds it was given */
    double explain_s;    /* an explained run takes, the check at full size included */
    double check_s;      /* results of the written file, building included */
    double look_s;       /* a comparison in passing; 0 = as any other */
    bool any_comparison; /* over_s was seen, and is no guess any more */
};

/* The least that is asked of a comparison; what it takes then is the runner's to say. */
#define PACE_MIN_S 1.0

/* What the next one takes, by the last one and what was expected of it: the last ones
 * tell more than the first, and one that took long will not be the last. */
double pace_expected_s(double seen_s, double before_s);
void pace_begin(struct pace *pace, double began_s, double budget_s);
/* A try of something beside the plan, and its comparison. */
double pace_option_s(const struct pace *pace);
/* By what the runner knows now. What was seen of tries and comparisons goes before it,
 * but for tries that took more than four times what it says. */
void pace_guess(struct pace *pace, const struct search_costs *costs);
void pace_note_try(struct pace *pace, double cost_s);
void pace_note_comparison(struct pace *pace, double seconds, double cost_s);

/* The report, and what else nobody accounts for. */
double pace_tail_s(const struct pace *pace);
double pace_comparison_s(const struct pace *pace, double seconds);
/* The written file: checked at full size and compared, as shortly as can be. */
double pace_file_s(const struct pace *pace);
/* What a try that turns out faster leads to, as shortly as can be: it is compared in
 * passing, checked at full size and explained (if that is an eighth of the budget at
 * most: else no time is kept for it), and its file is checked and compared, which then
 * decides. */
double pace_closing_s(const struct pace *pace);
/* The same of one whose first look alone is believed: its file is only checked. */
double pace_least_s(const struct pace *pace);
/* Seconds to give to a comparison that begins now, when `later` more must follow, the
 * last of them that of the file (none: 0): at most `max_s`, at least PACE_MIN_S. */
double pace_seconds(const struct pace *pace, double now_s, int later, double max_s);

#endif
