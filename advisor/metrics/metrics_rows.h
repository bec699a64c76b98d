/* What trees, tables, pages and documents of metrics share. */
#ifndef ADVISOR_METRICS_ROWS_H
#define ADVISOR_METRICS_ROWS_H

#include "advisor/metrics/metrics_columns.h"

/* Anything of the model is known. */
bool metrics_computed(const struct metrics_column *column, size_t model);
/* It is to be shown: named by --model, or computed where none is named. */
bool metrics_shows(const struct metrics_report *report,
                   const struct metrics_column *column, size_t model);

/* ---- several columns: a row stands where the first column has it ---- */

bool metrics_known_in_any(const struct metrics_report *report, const char *name);
bool metrics_in_earlier(const struct metrics_report *report, size_t column,
                        const char *name);
/* The model is to be shown in some column and has rows that no earlier column has. */
bool metrics_compares(const struct metrics_report *report, size_t column, size_t model);
/* What the shares of the first level are of; METRIC_NONE where that is not one thing. */
int metrics_total_of_model(const struct metric_set *set, size_t model);

/* ---- one metric ---- */

/* How deep below the first level. */
int metrics_depth(const struct metric_set *set, int metric);
bool metrics_is_share(const struct metric *metric);
bool metrics_is_of_parent(const struct metric *metric);
/* A share of something that can be lost. */
bool metrics_is_heated(const struct metric_set *set, int metric);
/* "61.0" of a share, "1.23e+09" of anything else; "?" where it is not known, "NA" where
 * the CPU has no such thing. */
void metrics_add_value(struct buf *out, const struct metric *metric,
                       const struct metric_value *value);
/* "45.8 to 54.2", the ends as the value is shown; nothing where they read alike. */
void metrics_add_range(struct buf *out, const struct metric *metric,
                       struct quantity value, const char *between);
/* "% of slots", "lines". */
void metrics_add_unit(struct buf *out, const struct metric *metric);

/* ---- what is to be said ---- */

/* Of reading, counting and computing, one sentence each. */
void metrics_notes(const struct metrics_column *column, struct strvec *out);
/* Why a value is not known, events that are not counted named one after the other. */
void metrics_add_why(struct buf *out, const char *why);
/* Events that the model rests on and that the counts lack, as names. */
void metrics_missing(const struct metrics_column *column, size_t model,
                     struct strvec *out);

#endif
