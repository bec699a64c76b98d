/*
 * A measured or derived quantity: never a bare double. Value, interval, number of runs,
 * provenance. Absent is not 0: an unknown quantity has known == false and its numbers are
 * NaN. The unit stands in the name of the variable.
 */
#ifndef CORE_BASE_QUANTITY_H
#define CORE_BASE_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>

/* name, word in reports and JSON */
#define PROVENANCE_MAP(X)                                                                \
    X(NONE, "none")           /* unknown */                                              \
    X(PAPI, "papi")           /* hardware counters */                                    \
    X(MODEL, "model")         /* cache model on traced accesses */                       \
    X(SOURCE, "source")       /* counted in the source's loop model */                   \
    X(STEPPED, "stepped")     /* counted by stepping through a smaller call, scaled */   \
    X(DECLARED, "declared")   /* said by the user */                                     \
    X(RECORDED, "recorded")   /* read from a recorded measurement */                     \
    X(CLOCK, "clock")         /* timed here */                                           \
    X(SAMPLED, "sampled")     /* samples of a running program, scaled */                 \
    X(PROBE, "probe")         /* probed on this machine */                               \
    X(TABLE, "table")         /* from the CPU table or a published profile */            \
    X(PREDICTED, "predicted") /* from shapes common to measured machines */              \
    X(DERIVED, "derived")     /* computed from quantities of several provenances */

enum provenance {
#define X(name, word) PROVENANCE_##name,
    PROVENANCE_MAP(X)
#undef X
};

struct quantity {
    bool known;
    double value, low, high; /* low <= value <= high when known */
    size_t runs;             /* samples behind it, 0 if it is no statistic */
    enum provenance provenance;
    /* Of what was timed: share of the time in which something else had the processor, 0 =
     * none or not told. Doubted: that may have moved the value beyond the interval, so it
     * is not to be claimed. */
    double disturbed;
    bool doubted;
};

struct quantity quantity_unknown(void);
struct quantity quantity_exact(double value, enum provenance provenance);
struct quantity quantity_between(double value, double low, double high, size_t runs,
                                 enum provenance provenance);

/* Interval arithmetic; unknown in, unknown out; runs = the smaller that is
 * a statistic; provenance kept if equal, else DERIVED; what is made of something doubted
 * is doubted, and as disturbed as the worse of the two. Division by an interval that
 * holds 0 is unknown; max takes the known one of two. */
struct quantity quantity_add(struct quantity a, struct quantity b);
/* As quantity_add, for two whose errors have no common cause: half-widths add as the root
 * of the sum of squares. */
struct quantity quantity_add_independent(struct quantity a, struct quantity b);
struct quantity quantity_subtract(struct quantity a, struct quantity b);
struct quantity quantity_multiply(struct quantity a, struct quantity b);
struct quantity quantity_divide(struct quantity a, struct quantity b);
struct quantity quantity_scale(struct quantity a, double factor);
struct quantity quantity_max(struct quantity a, struct quantity b);
struct quantity quantity_min(struct quantity a, struct quantity b);

const char *provenance_word(enum provenance provenance);
/* Returns PROVENANCE_NONE for a word it does not know. */
enum provenance provenance_from_word(const char *word);

#endif
