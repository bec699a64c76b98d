/* A column against the first one: faster or not, less work or faster work, and what does
 * not compare. */
#ifndef ADVISOR_METRICS_AGAINST_H
#define ADVISOR_METRICS_AGAINST_H

#include "advisor/metrics/metrics_columns.h"

enum { METRICS_WORK_MAX = 5 };

/* less * faster = ratio of the times. */
struct metrics_work {
    const char *name; /* of a metric */
    struct quantity before, after;
    struct quantity less;   /* before / after */
    struct quantity faster; /* done a second, after / before */
};

struct metrics_against {
    struct quantity time_ratio; /* time of the first / time of this: above 1 is faster */
    struct metrics_work work[METRICS_WORK_MAX];
    size_t work_nr;
    char *time_sentence;
    char *work_sentence;   /* NULL = nothing is known of the work */
    struct strvec said;    /* patterns of rules/patterns.json that hold */
    struct strvec caution; /* totals, CPUs, lines: what does not compare */
};

/* Makes report->against; of one column, and of
 * the regions of one program, what each says alone, in report->said. */
int metrics_against_make(struct metrics_report *report, struct error *err);
void metrics_against_release(struct metrics_report *report);

/* Amount behind a value: a share times what it is a share of, else the value itself, of
 * column `a` over that of column `b`; unknown where there is no such total. */
struct quantity metrics_amount_ratio(const struct metrics_column *a,
                                     const struct metrics_column *b, const char *name);

#endif
