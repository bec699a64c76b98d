/* What goes to a person: colour and progress. Results go to stdout, everything else to
 * stderr. */
#ifndef CORE_BASE_TERM_H
#define CORE_BASE_TERM_H

#include <stdbool.h>
#include <stdio.h>

enum colour_when { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

/* auto: the stream is a terminal, TERM is not "dumb", NO_COLOR is unset or empty. */
bool term_colour(FILE *stream, enum colour_when when);

/* Columns of the terminal on the stream, 80 if it is none. */
int term_columns(FILE *stream);

/* Progress on stderr: a line redrawn in place on a terminal (at most ten times a second,
 * from the first second on); when stderr is no terminal one line per message if
 * `verbose`, else nothing. */
struct progress {
    bool quiet, verbose;
    double started, drawn;
    bool on_screen;
};
void progress_start(struct progress *progress, bool quiet, bool verbose);
void progress_say(struct progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void progress_clear(struct progress *progress);

/* Now, UTC: "2026-01-31T12:00:00Z". Caller frees. */
char *date_now(void);
/* Seconds of CLOCK_MONOTONIC. */
double clock_s(void);

#endif
