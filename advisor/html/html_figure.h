/* Private to html_plot*.c: one figure of the page: a picture, and in HTML what is to be
 * read in it. */
#ifndef ADVISOR_HTML_FIGURE_H
#define ADVISOR_HTML_FIGURE_H

#include "advisor/html/html_parts.h"
#include "advisor/plot/plot.h"

struct figure {
    const char *id, *title;
    struct plot plot;   /* of one panel; without series there is nothing to draw */
    struct buf why_not; /* then: why, plain text */
    struct buf how;     /* how to read it, HTML */
    struct buf label;   /* what it shows, for those who cannot see it, plain text */
};
void figure_release(struct figure *figure);

/* `html`: text that may hold our own tags; figures that come from a session are numbers.
 */
void figure_how(struct figure *figure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "try 3: tile(i:8); 1.84x (1.80 to 1.88) as fast as written". Caller frees. */
char *figure_tip_of(const struct html *page, size_t variant);

/* Where a variant stands in a picture; unknown = nowhere. */
struct figure_place {
    struct quantity x, y;
    bool counted; /* else its bytes are those of another */
    char *tip;
};
/* Marks of all that stand somewhere: only timed (`timed`, `counted`: what those are
 * called in the legend), counted, as written, the winner. Takes the places' tips over. */
void figure_variants(const struct html *page, struct plot_panel *panel,
                     struct figure_place *place, enum plot_interval interval,
                     const char *timed, const char *counted);

/* Bytes through memory of one call, all copies: counted, or taken over (*counted = false)
 * from the counted variant that shares most steps; then the low end is each line of the
 * data once. Unknown where nothing was counted. */
struct quantity figure_bytes(const struct html *page, size_t variant, bool *counted);
/* Bandwidth of it in GB/s: counted, or those bytes over its time. */
struct quantity figure_gbs(const struct html *page, size_t variant, bool *counted);

/* The figures. Each fills its picture's panel, or why_not. */
void figure_memory(const struct html *page, struct figure *figure);
void figure_roof(const struct html *page, struct figure *figure);
void figure_course(const struct html *page, struct figure *figure);
void figure_predicted(const struct html *page, struct figure *figure);
void figure_traffic(const struct html *page, struct figure *figure);

#endif
