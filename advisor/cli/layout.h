/* Pieces of reports for a terminal: headings, paragraphs, labelled figures. */
#ifndef ADVISOR_LAYOUT_H
#define ADVISOR_LAYOUT_H

#include "core/base/quantity.h"

struct buf;

struct layout {
    struct buf *out;
    bool colour;
    size_t width; /* columns */
};

/* For a terminal of so many columns; never narrower than 60, never wider than 100. */
struct layout layout_on(struct buf *out, bool colour, int columns);

void layout_heading(struct layout *layout, const char *text);
/* Wrapped, two spaces from the left. */
void layout_paragraph(struct layout *layout, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* "  label             text", wrapped behind the label. */
void layout_line(struct layout *layout, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for a figure: "12.3 GB/s [12.1, 12.6] (model)"; `more` goes behind, "" = none.
 * What is unknown is called so. `scale` turns the quantity into the unit. */
void layout_quantity(struct layout *layout, const char *label, struct quantity quantity,
                     double scale, const char *unit, const char *more);

#endif
