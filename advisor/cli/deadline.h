/*
 * How long a command may take until the prompt comes back: what was asked for, or what
 * suits the kernel; and whether that can be.
 */
#ifndef ADVISOR_DEADLINE_H
#define ADVISOR_DEADLINE_H

#include "core/files/json.h"

struct error;
struct settings;

struct live_look;
struct search_result;

struct budget {
    double began_s, seconds; /* of clock_s(); from there on */
    double before_s;         /* passed before: the machine's profile, waiting for nodes */
    double trace_s, trace_one_s; /* of it, for tracing: all, and one of it */
    double min_s;     /* the kernel as written takes at least, as far as known */
    double one_try_s; /* and with one try and its comparison: a round number */
    char *sentence;   /* "budget 45 s: ..."; NULL = there is nothing to say */
    char *shortage;   /* it cannot be kept: how long it takes at least, and why; NULL = it
                         can, as far as known */
};

/* Calls that take longer leave too little of the time for a search, seconds: where fewer
 * rounds of the same do, a call shall have fewer. */
double budget_call_s(const struct settings *settings);
/* Pure. `tune`: plans are searched, else the kernel as written is measured only;
 * `spent_s`: of the time, by now. */
void budget_choose(const struct settings *settings, bool tune,
                   const struct live_look *look, double spent_s, struct budget *budget);
double budget_left_s(const struct budget *budget);
void budget_release(struct budget *budget);
/* --budget, --quick and --thorough exclude each other. */
int budget_check(const struct settings *settings, struct error *err);

json_t *budget_json(const struct budget *budget, const struct search_result *result);

#endif
