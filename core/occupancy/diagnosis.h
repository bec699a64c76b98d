/* What sets the pace of a loop, how sure that is, and where it is. */
#ifndef CORE_OCCUPANCY_DIAGNOSIS_H
#define CORE_OCCUPANCY_DIAGNOSIS_H

#include "core/base/buf.h"
#include "core/cause/cause.h"
#include "core/files/json.h"
#include "core/pipeline/pipeline_account.h"

struct occupancy;
struct occupancy_case;

#define CONFIDENCE_MAP(X)                                                                \
    X(LOW, "low")                                                                        \
    X(MEDIUM, "medium")                                                                  \
    X(HIGH, "high")

enum confidence {
#define X(name, word) CONFIDENCE_##name,
    CONFIDENCE_MAP(X)
#undef X
};
const char *confidence_word(enum confidence confidence);

enum { DIAGNOSIS_OTHERS_MAX = 3 };

struct diagnosis {
    enum cause cause;
    enum confidence confidence;
    double share; /* 0 .. 1 of the time: what a call would take less without it */
    struct {
        enum cause cause;
        double share;
    } other[DIAGNOSIS_OTHERS_MAX]; /* that come next, falling */
    size_t other_nr;
    bool is_modelled;            /* from an account of the pipeline */
    bool divides;                /* as in struct pipeline_account */
    bool is_counted;             /* counters were heard */
    char *array;                 /* NULL = none, or not known */
    int line;                    /* of the source; 0 = not known */
    struct buf sentence, reason; /* what it is; what that rests on, with the numbers */
};
void diagnosis_release(struct diagnosis *diagnosis);

/* From all other figures of `now`, and from the account of the pipeline if the case has
 * one. Without one, and where the account explains too little, the cause is `by_queues`.
 */
void diagnosis_make(const struct occupancy_case *input, const struct occupancy *now,
                    struct diagnosis *out);

/* Shares of the core's capacity (issue slots, or cycles) that counters of the CPU tell of
 * the same run; unknown is fine. */
struct counted {
    struct quantity front_end, guessed, back_end, memory, core, stores, divider, retiring;
};
/* By the name that rules have for it; false = it is none of these. */
bool counted_put(struct counted *counted, const char *fact, struct quantity share);
/* Once: a cause that was counted makes one that the model names more certain, takes the
 * place of one of low confidence, and casts doubt on any other. Nothing, where a resource
 * is full. */
void diagnosis_count(struct diagnosis *diagnosis, const struct occupancy *now,
                     const struct counted *counted);

/* 0 .. 1: how much less page walks cost on huge pages, as the profile has it; 1 where it
 * does not tell, 0 where it is too little to conclude from. */
double diagnosis_walks_gone(const struct occupancy_case *input,
                            const struct occupancy *now);
/* Would the experiment decide between this cause and another, and can it be made? */
bool diagnosis_wants(const struct occupancy_case *input, const struct diagnosis *found,
                     enum experiment experiment);

/* {"cause", "confidence", "share", "array", "line", "sentence", "reason", "others"} */
json_t *diagnosis_to_json(const struct diagnosis *diagnosis);

#endif
