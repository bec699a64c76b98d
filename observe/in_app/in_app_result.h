/* What came of --in-app: from times of runs to gains and sentences. Measures nothing. */
#ifndef ADVISOR_IN_APP_RESULT_H
#define ADVISOR_IN_APP_RESULT_H

#include "core/base/array.h"
#include "core/base/quantity.h"
#include "core/files/json.h"
#include "observe/copies/copies.h"

struct error;

enum in_app_end {
    IN_APP_NONE,        /* it was not asked for */
    IN_APP_MEASURED,    /* pairs were run, as far as the budget went */
    IN_APP_NO_WINNER,   /* there was nothing to confirm */
    IN_APP_FAILED,      /* the tuned version does not build, run or pass the check */
    IN_APP_UNPROVEN,    /* what ran was not built from the copy */
    IN_APP_INTERRUPTED, /* before there was anything to tell */
};

/* One run of each, directly after one another, in an order by chance. */
struct in_app_pair {
    double program_s[2];
    double routine_s[2]; /* NaN = not known */
    /* Of the routine in the program as written: of its wall time, and of the part of that
     * in which it had a processor. They differ when it waits, for a disk or, on a machine
     * that others use, for its turn. NaN = not known. */
    double share, busy_share;
};

enum { IN_APP_CAUSES_MAX = 12, IN_APP_PAIRS_MIN = 3 };
#define IN_APP_LONG_S 1.0 /* of a run: cold files are nothing beside it */

/* Why the gain in the application may differ from that of the kernel alone. */
struct in_app_cause {
    const char *name; /* "cache state", "sharing" ... */
    char *what;       /* the difference, a phrase: "alone its data was warm, ..." */
    struct quantity
        gain;   /* of the kernel alone under that condition; unknown = see why */
    char *why;  /* not tested; NULL = tested */
    char *says; /* a sentence; NULL before in_app_explain */
};

struct in_app_result {
    enum in_app_end end;
    char *sentence; /* why there are no gains; NULL = there are */
    char *build, *run, *root;
    char *date;
    struct in_app_pair *pair;
    size_t pair_nr, pair_alloc;
    struct quantity program_s[2], routine_s[2];
    struct quantity program, routine; /* time as written / time tuned */
    struct quantity share; /* of the routine in the program as written: of wall time; up
                              to that of its busy time */
    struct quantity expected; /* gain of the program by Amdahl's law, from the two */
    long peak_kib[2]; /* of memory, at most; no less than our own; 0 = not known */
    char *unsampled;  /* why the routine's time is not known */
    char *output;     /* how the outputs differ; NULL = they do not */
    struct app_output_state shown; /* what they can show */
    struct strvec facts[2];        /* what the file was compiled with */
    char *flags;    /* likewise, from debug information; NULL = not known */
    size_t threads; /* that the routine ran in, at most; 0 = not known */
    struct in_app_cause cause[IN_APP_CAUSES_MAX];
    size_t cause_nr;
    char *why; /* that the two gains of the routine differ, and whether what was tested
                  explains it; NULL = there is nothing to explain */
};
void in_app_result_release(struct in_app_result *result);

void in_app_add_pair(struct in_app_result *result, const struct in_app_pair *pair);
/* Fills the quantities from the pairs. Medians over the pairs with the 95 % interval of
 * run_statistics. */
void in_app_judge(struct in_app_result *result);

/* 1 / (1 - share + share / gain), G. Amdahl (1967); the interval from those of both. */
struct quantity in_app_amdahl(struct quantity share, struct quantity gain);

enum in_app_claim {
    IN_APP_UNKNOWN,  /* not measured, or by fewer than three pairs */
    IN_APP_NO_CLAIM, /* the interval holds 1, or the difference is below 1 % */
    IN_APP_FASTER,
    IN_APP_SLOWER,
};
enum in_app_claim in_app_claim_of(struct quantity gain);

/* Enough: the interval of the program's gain (and the routine's, where it is known) is
 * narrower than 1 % of it, by at least six pairs. */
bool in_app_is_enough(const struct in_app_result *result);

/* "1.38x as fast (1.35 to 1.40)", "no change beyond noise: 0.98 to 1.03"; caller frees.
 */
char *in_app_gain_phrase(struct quantity gain);

/* Behind a report: code that breaks the application, or that did not run in it, is no
 * success. STATUS_FAILED. */
int in_app_verdict(const struct in_app_result *result, struct error *err);

json_t *in_app_to_json(const struct in_app_result *result, struct quantity isolated);

/*
 * `isolated`: the gain of the kernel alone. The causes are judged by their own gains: one
 * whose gain under the condition is nearer to that in the application explains so much of
 * the difference, on a logarithmic scale. Fills `why` when the two differ by more than
 * 10 % and beyond their intervals.
 */
void in_app_explain(struct in_app_result *result, struct quantity isolated);
bool in_app_differs(struct quantity isolated, struct quantity routine);

/* A new cause; `why` NULL = tested. */
/* The cause that is all known ones at once: where it was timed, it says whether they
 * explain the difference, for single ones may cancel out. */
#define IN_APP_ALL_CAUSES "all of these"

void in_app_add_cause(struct in_app_result *result, const char *name,
                      struct quantity gain, const char *what, const char *why);

#endif
