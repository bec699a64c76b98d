/* Private to metrics_html*.c. */
#ifndef ADVISOR_METRICS_HTML_PARTS_H
#define ADVISOR_METRICS_HTML_PARTS_H

#include "advisor/html/html_text.h"
#include "advisor/metrics/metrics_rows.h"

/* metrics_html_trees.c: a section for each model that is shown. */
void metrics_html_trees(const struct metrics_report *report, struct buf *out);

#endif
