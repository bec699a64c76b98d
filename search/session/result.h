/* What comes out of a search. */
#ifndef SEARCH_RESULT_H
#define SEARCH_RESULT_H

#include "core/base/array.h"
#include "core/base/quantity.h"
#include "core/occupancy/bound.h"
#include "search/session/pace.h"
#include "search/space/space.h"

struct advice;
struct measurement;

struct pruned {
    char *plan; /* plan or transformation */
    char *rule, *reason;
};
/* An environment that was tried at the end, on the kernel as written or on the winner. */
struct tried_environment {
    char *plan; /* with what the environment needs (parallel) */
    struct environment environment, before; /* compared with this one */
    struct quantity gain; /* over the same plan without; unknown = see outcome */
    bool kept;
    char *outcome; /* one sentence */
};
/* A variant that was compared with the winner of the search at the end, interleaved. */
struct tie {
    size_t index;          /* in measurement */
    struct quantity ratio; /* time(winner) / time(this one); above 1 this one is faster */
    bool tied;             /* neither is faster beyond the noise */
};
/* The stop certificate: what bound on the remaining gain the evidence allows. */
#define HEADROOM_MAP(X)                                                                  \
    X(UNKNOWN, "unknown") /* the evidence gives no bound: see reason */                  \
    X(NOTHING, "nothing") /* every plan's bound ends within the noise */                 \
    X(REACHED, "reached") /* what sets the limit may be at its limit already */          \
    X(SOME, "some")       /* so much could be left */
enum headroom_verdict {
#define X(name, word) HEADROOM_##name,
    HEADROOM_MAP(X)
#undef X
};
const char *headroom_word(enum headroom_verdict verdict);
struct search_headroom {
    enum headroom_verdict verdict;
    struct occupancy_headroom bound; /* over the best plan */
    /* No plan was kept, the limit is reached and firm (or nothing is left), and nothing
     * that rules advise was left untried for want of time. Strategies that ask no rules
     * never say it. */
    bool helpless;
    bool nothing_stopped; /* the search ended because of it */
    bool reached_stopped; /* the rules were asked no more because its limit is reached */
    size_t tries;         /* plans that ran to their end, right or wrong */
    char *reason;   /* why a bound is missing, one sentence; NULL = both are there */
    char *sentence; /* all of it, for readers; never NULL after a search */
};

/* One pruned transformation that --audit measured, or why it did not. */
struct audited {
    char *transformation, *rule;
    char *plan;           /* the best of it that ran; NULL = none was measured */
    struct quantity gain; /* over the best before it; unknown = not compared */
    bool wrong;           /* faster beyond the noise: kept, or huge pages */
};
struct search_audit {
    struct audited *item;
    size_t nr, alloc;
    size_t measured_nr;   /* of which plans ran */
    size_t no_plan_nr;    /* of which there was no legal plan to measure */
    size_t unreached_nr;  /* of all pruned ones, those the budget did not reach */
    size_t wrong_nr;      /* that a rule had wrongly discarded */
    size_t before, after; /* measurements: the winner without and with the audit */
    /* time of the winner without it over that of the final one, interleaved; exactly 1
     * when nothing was wrongly discarded, unknown when nothing was measured */
    struct quantity cost;
};

struct search_result {
    struct measurement *measurement; /* in order; [0] is the baseline */
    size_t measurement_nr, measurement_alloc;
    size_t best; /* index; 0 = nothing is faster beyond doubt */
    /* Of each measurement over the kernel as written, by all times and comparisons of the
     * session; unknown = it has none. NULL until the search has ended. */
    struct quantity *gain;
    struct advice *advice;
    size_t advice_nr, advice_alloc;
    struct pruned *pruned;
    size_t pruned_nr, pruned_alloc;
    struct quantity source_gain;  /* best plan over none, same environment, interleaved;
                                     exactly 1 when best == 0 */
    struct quantity session_gain; /* the same by all that the session compared, but for
                                     its file; unknown when best == 0 */
    struct quantity environment_gain; /* huge over small pages, untransformed kernel;
                                         unknown = not tried */
    struct quantity total_gain; /* best plan in best environment over baseline; unknown if
                                   no environment was tried */
    /* those of search_opts.option, in the order tried */
    struct tried_environment *environment;
    size_t environment_nr, environment_alloc;
    size_t best_total;              /* measurement with the total gain; 0 = none */
    struct quantity headroom_bound; /* bound on what is left after the best; unknown = the
                                   evidence gives none */
    enum resource headroom_resource;
    char *stop;        /* why the search ended, one sentence */
    bool used_up;      /* for want of time, or of what else it was given */
    bool file_decides; /* whether the best is kept: it could not be compared again */
    bool file_checks;  /* whether it is right at the full size: it was not run there */
    struct search_looks looks;
    struct strvec left_out; /* for want of time, a sentence without its full stop each */
    struct pace pace;       /* as it was when the search had ended */
    bool interrupted;
    double seconds;
    double space_size; /* variants of the whole grid, after legality, for the record;
                          negative = not counted */
    /* Compared with tie_winner, which `best` is unless one of them is tied and the
     * smaller change (ties.h); at most TIES_MAX. Owned. */
    struct tie *tie;
    size_t tie_nr;
    size_t tie_winner;  /* 0 = the search had none, or nothing was compared */
    size_t advised_nr;  /* measurement_nr when it went on without advice; 0 = it did
                           not */
    size_t searched_nr; /* measurement_nr when the search ended and closing began */
    struct search_headroom left; /* what is left after the best */
    struct search_audit audit;   /* of --audit; nr 0 = none was asked for or needed */
    /* The first transformation of which guided search measured a plan, on the kernel as
     * written; NULL = none. Its gain then, unknown when no plan of it ran well. */
    char *first_tried;
    struct quantity first_gain;
};
#endif
