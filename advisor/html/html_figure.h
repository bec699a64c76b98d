/* Private to html_plot*.c: one figure of the page: gnuplot's commands, and in HTML what
 * is to be read in it. */
#ifndef ADVISOR_HTML_FIGURE_H
#define ADVISOR_HTML_FIGURE_H

#include "advisor/html/html_parts.h"

/* Colours as gnuplot writes them; templates/report/page.css gives each its tone in light
 * and in dark. Okabe and Ito's palette: told apart also by the colour-blind. */
#define COLOUR_WRITTEN "#d55e00"
#define COLOUR_WINNER  "#009e73"
#define COLOUR_OTHER   "#5b6670"
#define COLOUR_FAILED  "#cc79a7"
#define COLOUR_MEMORY  "#0072b2"
#define COLOUR_L1      "#e69f00"
#define COLOUR_L2      "#56b4e9"
#define COLOUR_COMPUTE "#8c6bb1"
#define COLOUR_FAINT   "#b0b7bd"

struct figure {
    const char *id, *title;
    struct buf head;    /* settings and data blocks */
    struct buf items;   /* of the plot command; empty = there is nothing to draw */
    struct buf why_not; /* then: why, plain text */
    struct buf how;     /* how to read it, HTML */
    struct buf legend;  /* HTML, <li> elements */
    struct buf label;   /* what it shows, for those who cannot see it, plain text */
    struct strvec tip;  /* of marks: what gnuplot calls "@3" is tip 3 */
    size_t block;       /* data blocks so far */
};
void figure_release(struct figure *figure);

/* `html`: text that may hold our own tags; figures that come from a session are numbers.
 */
void figure_how(struct figure *figure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* One line of the legend. `mark`: "line", "dash", "dot", "ring", "diamond", "cross",
 * "down", "square" or "band"; `colour`: one of the above without "#"; plain text. */
void figure_legend(struct figure *figure, const char *mark, const char *colour,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));

void figure_set(struct figure *figure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* One element of the plot command. */
void figure_item(struct figure *figure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A logarithmic axis ("x" or "y") from low to high, with labels close enough together. */
void figure_log_axis(struct figure *figure, const char *axis, const char *unit,
                     double low, double high);

/* Widens a range by a value that a logarithmic axis has a place for. */
void figure_take_in(double range[2], double value);
/* Room around all that was taken in, above less than elsewhere. */
void figure_room(double x[2], double y[2]);

/* Data blocks: rows of numbers; what is not finite is left out as gnuplot wants it. */
size_t figure_block(struct figure *figure); /* begins one: its number */
void figure_row(struct figure *figure, size_t nr, const double *value);
/* The same with a mark's tip behind the numbers: plain text. */
void figure_tipped(struct figure *figure, size_t nr, const double *value,
                   const char *tip);
void figure_end(struct figure *figure);
/* The tipped marks of a block; `type` of gnuplot's points. */
void figure_marks(struct figure *figure, size_t block, int type, double size,
                  const char *colour);
/* A straight line between two points, in a block of its own. */
void figure_line(struct figure *figure, double x0, double y0, double x1, double y1,
                 const char *style);
/* "try 3: tile(i:8); 1.84x (1.80 to 1.88) as fast as written". Caller frees. */
char *figure_tip_of(const struct html *page, size_t variant);

/* Bytes through memory of one call, all copies: counted, or taken over (*counted = false)
 * from the counted variant that shares most steps; then the low end is each line of the
 * data once. Unknown where nothing was counted. */
struct quantity figure_bytes(const struct html *page, size_t variant, bool *counted);
/* Bandwidth of it in GB/s: counted, or those bytes over its time. */
struct quantity figure_gbs(const struct html *page, size_t variant, bool *counted);

/* The figures. Each fills items, or why_not. */
void figure_memory(const struct html *page, struct figure *figure);
void figure_roof(const struct html *page, struct figure *figure);
void figure_course(const struct html *page, struct figure *figure);
void figure_predicted(const struct html *page, struct figure *figure);
void figure_traffic(const struct html *page, struct figure *figure);

/* html_svg.c: what gnuplot wrote, made fit for a page: no document around it, no names of
 * other places, no scripts, ids with `prefix`, colours as "#0072b2", black as the page's
 * text; marks "@3" get tip 3 as <title>. `label`: the picture in words. False = it is not
 * a picture. */
bool html_svg(const char *svg, const char *prefix, const char *label,
              const struct strvec *tip, struct buf *out);

#endif
