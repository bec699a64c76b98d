/* Text in scripts of gnuplot. */
#ifndef ADVISOR_GNUPLOT_TEXT_H
#define ADVISOR_GNUPLOT_TEXT_H

#include "core/base.h"

/* Of the curve with this number: Okabe and Ito's palette, told apart also by the
 * colour-blind. */
const char *gnuplot_colour(size_t curve);

/* One quoted string: within single quotes gnuplot replaces nothing; control characters,
 * which could end the line, become spaces. */
void gnuplot_quote(struct buf *out, const char *text);
/* Lines of text joined: 'a' . "\n" . 'b' */
void gnuplot_quote_lines(struct buf *out, const char *text);

/* What begins the next item of a plot command. */
void gnuplot_begin_item(struct buf *items);
/* " title '...'", set off by a blank on a terminal; NULL = not in the legend. */
void gnuplot_title(struct buf *items, const char *title, bool terminal);

#endif
