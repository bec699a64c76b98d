/* What a model of the core says of a call: where its cycles go, what each cause costs,
 * and at which instruction. */
#ifndef CORE_PIPELINE_PIPELINE_ACCOUNT_H
#define CORE_PIPELINE_PIPELINE_ACCOUNT_H

#include "core/base/quantity.h"
#include "core/files/json.h"
#include "core/pipeline/misses.h"

struct error;

/* The instruction that most of a cause's cycles go through. */
struct pipeline_blame {
    char *array;     /* that it accesses; NULL = none, or not known */
    int line;        /* of the source; 0 = not known */
    double line_use; /* as in struct pipeline_pattern */
    double stride;
};

/* What was tried to decide between causes. name, word, phrase behind "runs" */
#define EXPERIMENT_MAP(X)                                                                \
    X(HUGE_PAGES, "huge_pages", "on huge pages")                                         \
    X(REASSOCIATED, "reassociated",                                                      \
      "when the compiler may reassociate floating-point operations")
enum experiment {
#define X(name, word, phrase) EXPERIMENT_##name,
    EXPERIMENT_MAP(X)
#undef X
        EXPERIMENT_NR
};
const char *experiment_phrase(enum experiment experiment);

struct pipeline_account {
    double cycles, instructions; /* of the stretches that were run */
    double ghz;
    double call_s; /* that a call takes by the model; 0 = instructions are not known */
    double n_in_flight;     /* lines that L1 waits for, mean */
    double share[CAUSE_NR]; /* of the cycles on the critical path; they sum to 1 */
    /* Share of the cycles that the run without it takes less, of those that are on the
     * path: others may come earlier without what nothing waits for. */
    double saved[CAUSE_NR];
    struct pipeline_blame blame[CAUSE_NR];
    /* Shares of the cycles that are left in a core with nothing else to wait for: for
     * data from one operation to the next; for dispatch, units, ports, branches and code.
     */
    double recurrence_alone, core_alone;
    /* Time of a call as it is over that with the change; unknown = not tried. */
    struct quantity tried[EXPERIMENT_NR];
    bool fp_recurrence; /* the recurrence is of floating-point operations */
    bool divides;       /* most of the arithmetic on the path are divisions */
    double
        covered_share; /* of the lines from memory, those that are taken for prefetched */
    bool documented;   /* the core's figures are its own, not those of a generic core */
    /* The same where page walks cost nothing, for the case that an experiment finds they
     * do not; owned, NULL = they are a small part. Not in the document. */
    struct pipeline_account *walkless;
};
void pipeline_account_release(struct pipeline_account *account);

struct pipeline_stretches {
    const struct pipeline_stream *stream;
    size_t nr;
    const struct pipeline_pattern *pattern; /* by instruction */
    const int *line;                        /* of the source, by instruction */
    const struct pipeline_call *call;
};
/* -1 where nothing can be run. */
int pipeline_account_make(const struct pipeline_stretches *stretches,
                          const struct cpu_core *core,
                          const struct pipeline_memory *memory, double ghz,
                          struct pipeline_account *out);

/*
 * The same, and `walkless` where walks matter. Of all that the model is told, the cost of
 * a page walk is known worst: the profile's is that of pages at random. Where the model
 * takes longer than the clock (time_s, of a call), a walk costs what the clock leaves,
 * but no less than by `near`: `memory` with walks whose tables lie in L2.
 */
int pipeline_account_fit(const struct pipeline_stretches *stretches,
                         const struct cpu_core *core,
                         const struct pipeline_memory *memory,
                         const struct pipeline_memory *near, double ghz, double time_s,
                         struct pipeline_account *out);
/* Huge pages, which take away the part `gone` of a walk, gain less than half of what they
 * would if walks cost what the model says: what the profile says of a walk does not hold
 * for these, and the account goes on without them. */
void pipeline_account_refute_walks(struct pipeline_account *account, double gone);

json_t *pipeline_account_to_json(const struct pipeline_account *account);
int pipeline_account_from_json(const struct json_at *at, struct pipeline_account *account,
                               struct error *err);

#endif
