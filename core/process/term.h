/* What goes to a person's terminal: colour, its width; and the clock. Results go to
 * stdout, everything else to stderr. */
#ifndef CORE_BASE_TERM_H
#define CORE_BASE_TERM_H

#include <stdbool.h>
#include <stdio.h>

struct buf;

enum colour_when { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

/* auto: the stream is a terminal, TERM is not "dumb", NO_COLOR is unset or empty. */
bool term_colour(FILE *stream, enum colour_when when);

/* A terminal that can move its cursor: TERM is not "dumb". */
bool term_is_capable(FILE *stream);

/* Columns of the terminal on the stream, 80 if it is none. */
int term_columns(FILE *stream);

/* Appends the text as it is safe on a terminal: control characters other than tabs and
 * ends of lines become '?' (names in files of others may hold sequences that give a
 * terminal orders). `colour`: sequences that only set colour and weight stay. */
void term_add_printable(struct buf *out, const char *text, bool colour);

/* The locale of the environment (LC_ALL, LC_CTYPE, LANG) says UTF-8. */
bool term_utf8(void);

/* Now, UTC: "2026-01-31T12:00:00Z". Caller frees. */
char *date_now(void);
/* Seconds of CLOCK_MONOTONIC. */
double clock_s(void);

#endif
