/* Advice from numbers alone: a profile, a bandwidth, how the routine reaches for memory.
 */
#ifndef ADVISOR_NUMBERS_H
#define ADVISOR_NUMBERS_H

#include "core/occupancy/occupancy.h"
#include "rules/rules.h"

/* What is asked. 0 = as the profile says. */
struct question {
    const char *machine, *memory; /* as profile_load takes them; borrowed */
    double gbs;                   /* through memory, all cores */
    bool random;                  /* else streaming */
    double latency_ns;            /* loaded; told, it goes before the curve */
    double l1_mshrs, l2_mshrs;    /* entries, per whatever the profile counts them */
    double ceiling_gbs;           /* what memory reaches */
    int cores, line_bytes;
};

struct answer {
    struct machine machine; /* as asked */
    double gbs;
    int cores;
    bool random;
    double end_gbs; /* the curve's end where the bandwidth lies beyond it, else 0 */
    struct occupancy occupancy;
    struct rule_verdicts verdicts;
};

/* Fails also where the bandwidth is far beyond what the machine reaches: a slip of a
 * unit. The rules outlive the answer. */
int answer_question(const struct question *question, const struct rule_set *rules,
                    struct answer *answer, struct error *err);
void answer_release(struct answer *answer);

/* The bound on what the verdict's transformation can gain. */
struct quantity answer_bound(const struct answer *answer,
                             const struct rule_verdict *verdict);

void answer_text(const struct answer *answer, struct buf *out);
json_t *answer_json(const struct answer *answer);

#endif
