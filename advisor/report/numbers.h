/* Advice from numbers alone: a profile, a bandwidth, how the routine reaches for memory.
 */
#ifndef ADVISOR_NUMBERS_H
#define ADVISOR_NUMBERS_H

#include "advisor/cli/settings.h"
#include "advisor/metrics/metrics_facts.h"
#include "core/machine/machine.h"
#include "core/occupancy/occupancy.h"
#include "rules/rules.h"

struct error;

/* Where figures come from that were not typed: a file of counts, a saved measurement. */
struct given {
    char *title;                /* for the first line; NULL = the machine's name does */
    char *source;               /* one phrase: who counted and what of it was used */
    struct strvec note;         /* one sentence each */
    json_t *document;           /* what was read, for the report; NULL = nothing */
    const char *key;            /* its name in the report: "counts", "measurement" */
    struct metrics_facts facts; /* what else was counted says, beside the occupancy */
};
void given_release(struct given *given);

/* What is asked. 0 = as the profile says. */
struct question {
    const char *machine, *memory; /* as profile_load takes them; borrowed */
    double gbs;                   /* through memory, all cores */
    /* Apart and with intervals, where somebody counted; then they go before `gbs`. */
    struct quantity read_gbs, write_gbs;
    /* Of the lines from memory, those that no prefetcher fetched: 1 = random access, 0 =
     * streaming; unknown = not told. */
    struct quantity random_share;
    double latency_ns;         /* loaded; told, it goes before the curve */
    double l1_mshrs, l2_mshrs; /* entries, per whatever the profile counts them */
    double ceiling_gbs;        /* what memory reaches */
    double line_bytes;         /* a power of two */
    int cores;
    const struct given *given; /* borrowed; NULL = all was typed */
};

struct answer {
    struct machine machine;              /* as asked */
    double gbs;                          /* read and written */
    struct quantity read_gbs, write_gbs; /* GB/s of the node */
    int cores;
    struct quantity random_share;
    const struct given *given; /* borrowed from the question */
    struct quantity time_s;    /* that the bounds are of: a second, or a call */
    const char *pages;         /* "small", "huge"; NULL = not told */
    double end_gbs; /* the curve's end where the bandwidth lies beyond it, else 0 */
    struct occupancy occupancy;
    struct rule_verdicts verdicts;
};

/* Fails also where the bandwidth is far beyond what the machine reaches: a slip of a
 * unit. The rules outlive the answer. */
int answer_question(const struct question *question, const struct rule_set *rules,
                    struct answer *answer, struct error *err);
void answer_release(struct answer *answer);

/* The verdicts on answer->occupancy, as far as it alone decides. */
int answer_judge(struct answer *answer, const struct rule_set *rules, struct error *err);

/* Fills end_gbs from the curves and the bandwidth. */
void answer_find_end(struct answer *answer);

/* Fails for a --machine, --memory, --access or --rules that means nothing: before a
 * program is run of which questions follow. */
int question_check(const struct settings *settings, struct error *err);

/* "random", "streaming" or "0.3"; STATUS_USAGE names `what`. */
int access_parse(const char *text, const char *what, struct quantity *random_share,
                 struct error *err);
/* "random access", "30 % random access", "access not told". Caller frees. */
char *access_text(struct quantity random_share);

/* The bound on what the verdict's transformation can gain. */
struct quantity answer_bound(const struct answer *answer,
                             const struct rule_verdict *verdict);

/* For a terminal, 79 columns; and as inflight.report/1. */
void answer_text(const struct answer *answer, struct buf *out);
json_t *answer_json(const struct answer *answer);

#endif
