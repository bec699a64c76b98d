/*
 * What counters of the CPU say, for the rules and as evidence beside the occupancy: the
 * metrics of a definition that name a fact (a metric of rules.h).
 */
#ifndef ADVISOR_METRICS_FACTS_H
#define ADVISOR_METRICS_FACTS_H

#include "core/base/quantity.h"
#include "core/files/json.h"
#include "core/metrics/metrics.h"

struct buf;
struct count_set;
struct error;
struct machine;
struct occupancy;

/* {0}: nothing was counted that says anything. */
struct metrics_facts {
    struct metric_set *set;
    struct metric_result result;
    char *source; /* who counted */
};

struct metrics_facts_question {
    const struct count_set *counts;
    const struct machine *machine;
    int cores;
    /* As metric_set_load takes it; NULL = those of the CPU that the counts name, else of
     * the machine's microarchitecture. */
    const char *definitions;
};

/*
 * *facts stays {0} where no definitions are named and none describes the CPU, or none of
 * their facts follows from the counts. Refused: named definitions that there are not, or
 * that are not of the CPU that the counts name. Found ones that cannot be read are a
 * sentence in `note`. `facts` is released by its owner.
 */
int metrics_facts_of(const struct metrics_facts_question *question,
                     struct metrics_facts *facts, struct strvec *note, struct error *err);
void metrics_facts_release(struct metrics_facts *facts);
/* Calls `take` for each fact that the rules are told (shares as those of the whole): of
 * several metrics the first. Not told is what is not to be trusted. */
void metrics_facts_tell(const struct metrics_facts *facts,
                        void (*take)(void *context, const char *fact,
                                     struct quantity value),
                        void *context);

/* For reports: each metric with a fact, beside what bandwidth and latency say of the same
 * (`occupancy`; NULL = nothing); null for {0}. The text of that, indented, for a terminal
 * of `width` columns. */
json_t *metrics_facts_json(const struct metrics_facts *facts,
                           const struct occupancy *occupancy);
void metrics_facts_text(const json_t *facts, size_t width, struct buf *out);

struct context;
struct search_fact;
/* Counts the kernel as written, where hardware counts or --cpu names definitions whose
 * events count without. No counts where nothing does; the notes then say why. Caller
 * releases. */
int metrics_count(struct context *bench, struct count_set *counts, struct error *err);
/*
 * The same, here or on a node that is asked; fills bench->facts. That it could not be
 * counted is no failure: the rules then do without, and stderr says why. -1 =
 * interrupted.
 */
int metrics_tell(struct context *bench, struct error *err);

/* bench->facts for a search. The texts are the bench's; the caller frees the array. */
size_t metrics_reported(const struct context *bench, struct search_fact **fact);

#endif
