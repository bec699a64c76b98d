/* Metrics as one page for a browser. */
#ifndef ADVISOR_METRICS_HTML_H
#define ADVISOR_METRICS_HTML_H

#include "advisor/metrics/metrics_columns.h"

/* Into a file, with a line to standard error. */
int metrics_html_write(const struct metrics_report *report, const char *path,
                       struct error *err);

#endif
