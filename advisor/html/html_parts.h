/* Private to html*.c: the page in the making. */
#ifndef ADVISOR_HTML_PARTS_H
#define ADVISOR_HTML_PARTS_H

#include "advisor/html/html_text.h"
#include "core/machine/machine.h"
#include "search/session/measured.h"

/* One measurement of the document. */
struct html_variant {
    struct measurement measurement;  /* as read */
    const json_t *json;              /* it, in the document */
    struct quantity gain;            /* time as written over its time; unknown = none */
    struct quantity gbs, latency_ns; /* unknown = its traffic was not counted */
    char *around;                    /* its environment in words, "" = the run's own */
    char *why;                       /* one to three sentences */
    bool closing;                    /* measured when the search had ended */
};

struct html {
    const json_t *report;
    struct buf *out;
    struct html_variant *variant; /* [0] is the kernel as written, where there is one */
    size_t variant_nr;
    size_t unread_nr;       /* entries of the document that cannot be read */
    size_t best;            /* 0 = nothing was faster */
    struct machine machine; /* has_machine: the profile of the session */
    bool has_machine;
    int copies; /* of the kernel, one a core; at least 1 */
    bool single_precision;
};

/* html_variants.c: reads variants, profile and the rest of `struct html` from its
 * report. */
void html_read(struct html *page, const json_t *report, struct buf *out);
void html_release(struct html *page);
/* "tile(i:8), huge pages", "as written". Caller frees. */
char *html_name(const struct html_variant *variant);
bool html_ran(const struct html_variant *variant); /* to its end, with a time */

/* html_head.c, html_gains.c, html_table.c, html_end.c: sections. */
void html_add_head(struct html *page);
void html_add_limits(struct html *page);
/* html_in_app.c: a part of the gains; nothing without --in-app. */
void html_add_advice(struct html *page);
void html_add_variants(struct html *page);
void html_add_pruned(struct html *page);
void html_add_headroom(struct html *page);
void html_add_time(struct html *page);
void html_add_about(struct html *page);
/* What the page's script reads: the diffs. */
void html_add_data(struct html *page);

void html_open(struct html *page, const char *id, const char *title); /* a section */
void html_close(struct html *page);

/* html_plots.c: all figures, with what is to be read in them. `why_none` (set when there
 * is no picture; caller frees): gnuplot is missing or failed. */
void html_add_plots(struct html *page, char **why_none);

#endif
