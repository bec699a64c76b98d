/*
 * Pictures: described as data, drawn by gnuplot. Who wants one fills a `struct plot`;
 * only plot_script.c knows gnuplot's language, only plot.c runs it.
 */
#ifndef ADVISOR_PLOT_H
#define ADVISOR_PLOT_H

#include "core/base/quantity.h"

struct buf;
struct error;
struct machine;

/* Okabe and Ito's palette and a grey: told apart also by the colour-blind. */
#define COLOUR_WRITTEN "#d55e00"
#define COLOUR_WINNER  "#009e73"
#define COLOUR_OTHER   "#5b6670"
#define COLOUR_FAILED  "#cc79a7"
#define COLOUR_MEMORY  "#0072b2"
#define COLOUR_L1      "#e69f00"
#define COLOUR_L2      "#56b4e9"
#define COLOUR_COMPUTE "#8c6bb1"
const char *plot_colour(size_t curve); /* of the curve with this number */

enum plot_kind { PLOT_TERMINAL, PLOT_SVG, PLOT_PNG };

/* ---- a picture as data ---- */

/* PLOT_BYTES: logarithmic, in powers of two. */
enum plot_scale { PLOT_LINEAR, PLOT_LOG, PLOT_BYTES };

struct plot_axis {
    char *label; /* NULL = none */
    enum plot_scale scale;
    double low, high; /* both 0 = what the data need */
    struct plot_tic {
        double at;
        char *text;
    } * tic; /* in place of numbers */
    size_t tic_nr, tic_alloc;
};

enum plot_line {
    PLOT_NO_LINE,
    PLOT_LINE,
    PLOT_STEPS,
    PLOT_VERTICAL,  /* at each x through the whole frame */
    PLOT_HYPERBOLA, /* y = c / x, from its only point on to the right */
    PLOT_TEXT,      /* tips beside the points */
    PLOT_TEXT_UP,   /* the same; y is the share of the frame's height */
};

/* As gnuplot numbers them; one less is the same mark, open. */
enum plot_mark {
    PLOT_NO_MARK,
    PLOT_CROSS = 2,
    PLOT_SQUARE = 5,
    PLOT_RING,
    PLOT_DOT,
    PLOT_UP = 9,
    PLOT_DOWN = 11,
    PLOT_DIAMOND = 13
};

/* How the intervals of the points are drawn. */
enum plot_interval { PLOT_NO_INTERVAL, PLOT_BARS, PLOT_BAND, PLOT_BOXES };

enum plot_dash {
    PLOT_SOLID,
    PLOT_DASHED = 2,
    PLOT_DOTTED,
    PLOT_DASH_DOT,
    PLOT_DASH_DOTS
};

struct plot_series {
    enum plot_line line;
    enum plot_interval interval;
    const char *colour;
    double width; /* of lines; 0 = 2 */
    enum plot_dash dash;
    enum plot_mark mark;
    double size; /* of marks; 0 = 0.8 */
    char letter; /* the terminal's mark; 0 = the next one */
    char *title; /* in the legend; NULL = not there; without points only there */
    struct plot_point {
        struct quantity x, y; /* unknown = a gap, infinite = at the frame's end */
        char *tip;
    } * point;
    size_t point_nr, point_alloc;
};

struct plot_panel {
    char *title;
    struct plot_axis x, y;
    struct plot_series *series; /* later ones cover earlier ones */
    size_t series_nr, series_alloc;
};

/* {0} is an empty one. The terminal gets the first panel only. */
struct plot {
    enum plot_kind kind;
    char *title;              /* lines; NULL = none */
    int height;               /* of a panel in pixels */
    struct plot_panel *panel; /* one above the other */
    size_t panel_nr, panel_alloc;
};
void plot_release(struct plot *plot);

/* Borrowed until the next one is added. */
struct plot_panel *plot_add_panel(struct plot *plot);
/* `look`: all but title and points; NULL = not in the legend. */
struct plot_series *plot_add(struct plot_panel *panel, struct plot_series look,
                             const char *title, ...)
    __attribute__((format(printf, 3, 4)));
void plot_add_tic(struct plot_axis *axis, double at, const char *text);
void plot_point(struct plot_series *series, struct quantity x, struct quantity y,
                const char *tip);
void plot_at(struct plot_series *series, double x, double y); /* no interval, no tip */
/* A straight one. */
void plot_line(struct plot_series *series, double x0, double y0, double x1, double y1);

/* ---- pictures that several have ---- */

/* A roof of so many GB/s (slopes) or GFLOP/s (levels); what is not positive stands in the
 * legend only. */
struct plot_roof {
    double value;
    const char *colour;
    double width;
    enum plot_dash dash;
    char *title; /* taken over */
};
/* Goes beneath what the panel holds already, and its axes, both logarithmic, reach as far
 * as that needs; slopes end at the highest level, levels begin at the steepest slope. */
void plot_roofline(struct plot_panel *panel, struct plot_roof *slope, size_t slope_nr,
                   struct plot_roof *level, size_t level_nr);

/* ---- drawing ---- */

/* "-" = terminal, else by the ending of the name. */
int plot_kind_of(const char *path, enum plot_kind *kind, struct error *err);

/* Whether plot_write can work: the ending, the folder, gnuplot. */
int plot_check(const char *path, struct error *err);

/* "-" prints. The file is the old one or the new one. `plot` is of the path's kind. */
int plot_write(const struct plot *plot, const char *path, struct error *err);

/* gnuplot's script; writes the file "picture" into the working folder. Names of any
 * content are drawn as they are. */
void plot_script(const struct plot *plot, struct buf *script);

/* The curves of all machines; for a single one also what its miss queues let through.
 * Fails when no machine has a curve. */
int plot_machines(const struct machine *const *machine, size_t nr, struct plot *plot,
                  struct error *err);

#endif
