/*
 * Progress of long work, on stderr; results go to stdout.
 *
 * On a terminal one line, redrawn in place at most ten times a second and from the first
 * second on, never wider than the terminal is at that moment; it goes on counting while
 * children are waited for, though not while they are timed. Where stderr is no terminal
 * (or a dumb one) only what matters is said, a line each. With `verbose` everything is
 * said line by line, with the seconds since the start; with `quiet` nothing.
 *
 * A terminal that was made narrower meanwhile may keep a part of the line as it was
 * before; nothing else of the screen is touched.
 */
#ifndef CORE_BASE_PROGRESS_H
#define CORE_BASE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

/* What is going on. */
struct progress_status {
    const char *doing; /* "trying tile(i:32)" */
    size_t variants;   /* measured so far; 0 = none, or there are no such things */
    double best;       /* the best so far is so many times as fast; 0 = not known */
    double left_s;     /* of the budget; 0 and below = none, or not told */
};

struct progress {
    bool quiet, verbose;
    double started_s, given_s, drawn_s; /* clock_s() */
    double end_s; /* likewise: what is shown as left goes to here; 0 = as the status says
                   */
    bool on_screen;
    struct progress_status status; /* its text is this: */
    char doing[256];
};

void progress_start(struct progress *progress, bool quiet, bool verbose);
void progress_show(struct progress *progress, const struct progress_status *status);
/* The same for what is only told. */
void progress_say(struct progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* What is to be known although nobody watches: a line of its own that stays. */
void progress_note(struct progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Before anything else is written to the terminal, and at the end. */
void progress_clear(struct progress *progress);

/* A line is on the terminal now. For signal handlers, too. */
bool progress_is_shown(void);

/* While children are waited for: counts on. */
void progress_tick(void);

/* "[12 s of 40] trying tile(i:32): 14 tried, best 2.02x": pure. Cut to `columns` (of
 * UTF-8, with "..."), what is being done first; what could move the cursor is replaced.
 */
void progress_line(const struct progress_status *status, double elapsed_s, int columns,
                   struct buf *out);

#endif
