/*
 * Tables of metrics as somebody printed them (inflight.metrics-table/1), and how counts
 * are made from the rows that do not follow from each other
 * (inflight.metrics-rebuild/1): tests/data/metrics/dissertation.
 */
#ifndef TESTS_CORE_METRICS_METRIC_TABLES_H
#define TESTS_CORE_METRICS_METRIC_TABLES_H

#include "core/base/formula.h"
#include "core/metrics/metrics.h"

/* A number as printed: anything between low and high is printed like that. */
struct printed {
    bool known; /* NA is not */
    double value, low, high;
};
struct printed printed_read(const char *text, int significant, double times);

/* A row: a metric, or a formula over metrics. */
struct table_row {
    const char *metric; /* NULL = a formula */
    struct formula *formula;
    const char *what;              /* for messages */
    double tolerance;              /* beyond the rounding */
    const struct printed *printed; /* a column each, errors of print mended */
};
/* How much of the time two columns differ in a metric: of / to. */
struct table_ratio {
    const char *metric;
    size_t of, to;
    struct printed printed;
};
/* What is wrong in a table, or does not fit. */
struct table_exception {
    const char *metric, *why;
    int column; /* -1 = all of its CPU */
    bool skip;
    double tolerance; /* beyond the rounding */
    size_t used;      /* values that would have failed without it */
};
struct table_column {
    const char *cpu, *label;
};
struct metric_table {
    const char *path, *precision;
    struct table_column *column;
    struct table_row *row;
    struct table_ratio *ratio;
    struct table_exception *exception;
    size_t column_nr, row_nr, ratio_nr, exception_nr, mended_nr;
    json_t *root;
};
/* Fails the test and returns -1 when it cannot be read. */
int metric_table_read(const char *path, struct metric_table *table);
void metric_table_release(struct metric_table *table);

/* NULL = what is printed counts. */
struct table_exception *metric_table_exception(const struct metric_table *table,
                                               const char *metric, size_t column);
/* {0} = there is no such row. */
struct printed metric_table_at(const struct metric_table *table, const char *metric,
                               size_t column);

#endif
