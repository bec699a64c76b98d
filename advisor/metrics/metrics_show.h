/* Columns of metrics as text, as a page, as a document, and under roofs. */
#ifndef ADVISOR_METRICS_SHOW_H
#define ADVISOR_METRICS_SHOW_H

#include "advisor/cli/layout.h"
#include "advisor/cli/settings.h"
#include "advisor/metrics/metrics_columns.h"

struct buf;
struct error;

/* For a terminal, a column after the other: who was counted, the trees, the roofline,
 * notes, evidence. */
void metrics_text(const struct metrics_report *report, struct layout *layout);
/* A page for a browser into a file, with a line to standard error. */
int metrics_html_write(const struct metrics_report *report, const char *path,
                       struct error *err);
/* A document (inflight.metrics-result/1), raw counts included. */
json_t *metrics_json(const struct metrics_report *report);
/* --list: the shipped definitions, or all of one. */
int metrics_list(const struct settings *settings, struct error *err);

/* "  - text", wrapped behind the mark. */
void metrics_add_marked(struct layout *layout, const char *mark, const char *text);
/* What it means and where it is from, each on lines of its own. */
void metrics_add_about(struct layout *layout, const struct metric *metric, int indent);

/* ---- metrics_roof.c ---- */

/* A column under its roofs. */
struct metrics_roof {
    const struct metrics_column *column;
    struct roof_ceilings ceilings;
    struct roofline roofline;
    double single_share; /* of its flops; NAN = the counts do not tell */
    bool cores_given;    /* else all of the profile are taken */
};
/* One or two sentences: which roof is near, or that none is. Caller frees. */
char *metrics_roof_sentence(const struct metrics_roof *roof);

/* A table and a sentence. Prints nothing where the column has no bytes, nor with --model
 * of another tree than the portable metrics; one sentence where the profile is what
 * lacks. */
void metrics_roof_text(const struct metrics_report *report,
                       const struct metrics_column *column, struct layout *layout);
/* An array: an object per column, null where it has no place or its machine no roofs. */
json_t *metrics_roof_json(const struct metrics_report *report);

#endif
