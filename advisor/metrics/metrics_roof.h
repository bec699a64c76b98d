/* The roofline of what was counted: under the roofs of the profile of its machine. */
#ifndef ADVISOR_METRICS_ROOF_H
#define ADVISOR_METRICS_ROOF_H

#include "advisor/cli/page.h"
#include "advisor/metrics/metrics_columns.h"

/* A column under its roofs. */
struct metrics_roof {
    const struct metrics_column *column;
    struct roof_ceilings ceilings;
    struct roofline roofline;
    double single_share; /* of its flops; NAN = the counts do not tell */
    bool cores_told;     /* else all of the profile are taken */
};
/* False = no profile of its machine, or nothing that has a place under a roof. */
bool metrics_roof_of(const struct metrics_column *column, struct metrics_roof *roof);
/* One or two sentences: which roof is near, or that none is. Caller frees. */
char *metrics_roof_sentence(const struct metrics_roof *roof);
/* What the roofs are and what they are not, of the column's profile; one sentence each.
 */
void metrics_roof_notes(const struct metrics_roof *roof, struct strvec *out);
/* They can stand in one table or picture: same profile, same roofs. */
bool metrics_roof_same(const struct metrics_roof *a, const struct metrics_roof *b);

/* Tables, a column per variant, and the sentences. Prints nothing where no column has
 * bytes, nor with --model of another tree than the portable metrics; one sentence where
 * the profile is what lacks. */
void metrics_roof_text(const struct metrics_report *report, struct page *page);
/* An array: an object per column, null where metrics_roof_of is false. */
json_t *metrics_roof_json(const struct metrics_report *report);
/* A section; nothing where there is nothing to draw. Without gnuplot it says so. */
void metrics_roof_html(const struct metrics_report *report, struct buf *out);
/* --plot: "-" prints, else FILE.svg or FILE.png. STATUS_MISSING where no column has
 * flop/s and an intensity under roofs of one profile. */
int metrics_roof_plot(const struct metrics_report *report, const char *path,
                      struct error *err);

#endif
