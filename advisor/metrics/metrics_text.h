/* Metrics for a terminal: one column as trees, several as a table. */
#ifndef ADVISOR_METRICS_TEXT_H
#define ADVISOR_METRICS_TEXT_H

#include "advisor/cli/page.h"
#include "advisor/metrics/metrics_rows.h"

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

/* "  - text", wrapped behind the mark. */
void metrics_add_marked(struct page *page, const char *mark, const char *text);
/* What it means and where it is from, each on lines of its own. */
void metrics_add_about(struct page *page, const struct metric *metric, int indent);

#endif
