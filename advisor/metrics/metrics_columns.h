/*
 * What `inflight metrics` shows: columns, each the runs of one program on one CPU with
 * the definitions of that CPU and all that follows from them.
 */
#ifndef ADVISOR_METRICS_COLUMNS_H
#define ADVISOR_METRICS_COLUMNS_H

#include "advisor/cli/settings.h"
#include "core/machine/machine.h"
#include "core/metrics/metrics.h"

enum { METRICS_GIVEN_MAX = 16 }; /* more than there are names */

struct metrics_column {
    char *label;  /* unique among the columns */
    char *origin; /* files or program, as the user named them */
    struct metric_set *set;
    struct count_set *run; /* as counted */
    size_t run_nr;
    struct count_set counts; /* the runs made one */
    double variation;        /* between them; 0 for one run */
    struct metric_given given[METRICS_GIVEN_MAX];
    size_t given_nr;
    struct metric_result result;
    struct strvec note; /* of reading and counting, one sentence each */
    /* Lines in flight per core by Little's law (bytes through memory x latency at that
     * bandwidth over the line), and the latency; unknown: `little_why`. */
    struct quantity little, latency_ns;
    char *little_why;
    /* --machine, or this machine's where the counts are its; has_machine: there is one */
    struct machine machine;
    bool has_machine;
};

struct metrics_report {
    const struct settings *settings;
    struct metrics_column *column;
    size_t nr, alloc;
    struct metrics_against *against; /* [i]: column i + 1 (metrics_against.h) */
    size_t against_nr;
    struct strvec said; /* patterns that hold in the only column */
    char *ended; /* what a program ended with that did not end well; NULL = it did */
};

/* Borrowed parts of the column. */
struct metric_question metrics_question(const struct metrics_column *column);
/* Value of a metric by name; unknown where the column has none. */
struct quantity metrics_value(const struct metrics_column *column, const char *name);
/* What formulas are given beside the counts; unknown where it is not given. */
struct quantity metrics_given_value(const struct metrics_column *column,
                                    const char *name);
/* In the place of what was given by that name. `name` is of metric_given_names. */
void metrics_give(struct metrics_column *column, const char *name, struct quantity value);
/* The quantity that a share of this metric is a share of ("slots": the metric Slots);
 * METRIC_NONE where it is its parent or where no metric is named so. */
int metrics_total_of(const struct metric_set *set, int metric);

bool metrics_has_model(const struct metric_set *set, const char *name);
/* STATUS_USAGE for a --model (NULL = none) that the definitions do not have, with the
 * near one. */
int metrics_check_model(const struct metric_set *set, const char *name,
                        struct error *err);

/* --counts [LABEL=]FILE[,FILE...]: also columns of a document that --json wrote. */
int metrics_read_columns(struct metrics_report *report, struct error *err);
/* Takes over set and runs; evaluates. `machine_here`: they were counted on this
 * machine. */
int metrics_add_column(struct metrics_report *report, struct metrics_column *column,
                       bool machine_here, struct error *err);
void metrics_column_release(struct metrics_column *column);
void metrics_report_release(struct metrics_report *report);

#endif
