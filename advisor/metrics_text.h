/* Metrics for a terminal: one column as trees, several as a table. */
#ifndef ADVISOR_METRICS_TEXT_H
#define ADVISOR_METRICS_TEXT_H

#include "advisor/metrics_columns.h"
#include "advisor/page.h"

/* metrics_text.c: who was counted, then metrics_tree_text or metrics_table_text, then
 * notes. */
void metrics_text(const struct metrics_report *report, struct page *page);

/* metrics_tree.c: the trees of the one column. */
void metrics_tree_text(const struct metrics_report *report, struct page *page);
/* metrics_table.c: a row per metric, a column per variant. */
void metrics_table_text(const struct metrics_report *report, struct page *page);
/* metrics_evidence.c: of each metric shown, and of its parts, formula, counts, source. */
void metrics_evidence_text(const struct metrics_report *report, struct page *page);

/* ---- what they share ---- */

/* Whether the model is to be shown: --model, and whether anything of it is known.
 * *computed = false: nothing is. */
bool metrics_shows(const struct metrics_report *report,
                   const struct metrics_column *column, size_t model, bool *computed);
/* How deep below the first level. */
int metrics_depth(const struct metric_set *set, int metric);
bool metrics_is_share(const struct metric *metric);
/* A share of something that can be lost. */
bool metrics_is_heated(const struct metric_set *set, int metric);
/* "61.0" of a share, "1.23e+09" of anything else; "?" where it is not known, "NA" where
 * the CPU has no such thing. */
void metrics_add_value(struct buf *out, const struct metric *metric,
                       const struct metric_value *value);
/* "% of slots", "lines". */
void metrics_add_unit(struct buf *out, const struct metric *metric);
/* Why a value is not known, events that are not counted named one after the other. */
void metrics_add_why(struct buf *out, const char *why);
/* Events that the model rests on and that the counts lack, as names. */
void metrics_missing(const struct metrics_column *column, size_t model,
                     struct strvec *out);

#endif
