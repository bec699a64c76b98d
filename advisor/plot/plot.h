/*
 * Pictures, drawn by gnuplot. What they look like stands in
 * templates/plot/picture.gnuplot; who wants one adds panels, and series to the last
 * panel.
 */
#ifndef ADVISOR_PLOT_H
#define ADVISOR_PLOT_H

#include "core/base/buf.h"
#include "core/base/quantity.h"

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

/* ---- what is drawn ---- */

/* PLOT_BYTES: logarithmic, in powers of two. */
enum plot_scale { PLOT_LINEAR, PLOT_LOG, PLOT_BYTES };

struct plot_axis {
    const char *label;
    enum plot_scale scale;
    double low, high;           /* both 0 = what the data need */
    const struct strvec *words; /* at 1, 2 ..., in place of numbers; NULL = numbers */
};

enum plot_line { PLOT_NO_LINE, PLOT_LINE, PLOT_STEPS };

/* As gnuplot numbers them; one less is the same mark, open. */
enum plot_mark {
    PLOT_NO_MARK,
    PLOT_SQUARE = 5,
    PLOT_DOT = 7,
    PLOT_UP = 9,
    PLOT_DOWN = 11,
    PLOT_DIAMOND = 13
};

/* How the intervals of the points are drawn. */
enum plot_interval { PLOT_NO_INTERVAL, PLOT_BARS, PLOT_BAND, PLOT_BOXES };

enum plot_dash {
    PLOT_SOLID = 1,
    PLOT_DASHED,
    PLOT_DOTTED,
    PLOT_DASH_DOT,
    PLOT_DASH_DOTS
};

struct plot_look {
    enum plot_line line;
    enum plot_interval interval;
    const char *colour;
    double width;        /* of lines; 0 = 2 */
    enum plot_dash dash; /* 0 = solid */
    enum plot_mark mark;
    double size; /* of marks; 0 = 0.8 */
    char letter; /* the terminal's mark; 0 = the next one */
};

/* {0} but for its kind is an empty one. The terminal gets the first panel only. */
struct plot {
    enum plot_kind kind;
    char *title; /* lines; NULL = none */
    int height;  /* of a panel in pixels */
    size_t panel_nr;
    /* the rest is plot_script.c's: of all panels, of the last one, of its last series */
    struct buf panels;
    size_t rows, series_nr;
    struct plot_axis x, y; /* without label and words */
    struct buf head, data, intervals, lines;
    size_t entry_nr, longest;
    struct plot_look look;
    char *name;
    struct buf points;
    bool open, wide;
};
void plot_release(struct plot *plot);

/* Below the one before it; title: NULL = none. */
void plot_panel(struct plot *plot, const char *title, const struct plot_axis *x,
                const struct plot_axis *y);
/* Later ones cover earlier ones, lines cover intervals. `name`: in the legend, NULL = not
 * there; without points only there. */
void plot_series(struct plot *plot, struct plot_look look, const char *name, ...)
    __attribute__((format(printf, 3, 4)));
/* Of the last series. Unknown = a gap, infinite = at the frame's end. */
void plot_point(struct plot *plot, struct quantity x, struct quantity y);
void plot_at(struct plot *plot, double x, double y); /* no interval */
/* A straight one. */
void plot_line(struct plot *plot, double x0, double y0, double x1, double y1);
/* Through the whole frame; `text` stands beside it, NULL = none. */
void plot_vertical(struct plot *plot, struct plot_look look, double x, const char *text);

/* ---- drawing ---- */

/* "-" = terminal, else by the ending of the name. */
int plot_kind_of(const char *path, enum plot_kind *kind, struct error *err);

/* Whether plot_write can work: the ending, the folder, gnuplot. */
int plot_check(const char *path, struct error *err);

/* "-" prints. The file is the old one or the new one. `plot`, of the path's kind, takes
 * no more panels. */
int plot_write(struct plot *plot, const char *path, struct error *err);

/* gnuplot's script, which loads templates/plot/picture.gnuplot from the working folder
 * and writes the file "picture" there. Names of any content are drawn as they are.
 * Likewise. */
void plot_script(struct plot *plot, struct buf *script);

/* The curves of all machines; for a single one also what its miss queues let through.
 * Fails when no machine has a curve. */
int plot_machines(const struct machine *const *machine, size_t nr, struct plot *plot,
                  struct error *err);

#endif
