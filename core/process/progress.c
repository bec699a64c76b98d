#include "core/process/progress.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/process/account.h"
#include "core/process/term.h"

static const double first_draw_s = 1.0, redraw_s = 0.1, tick_s = 1.0;

/* ---- the text ---- */

/* "[12 s of 40] ", in minutes where there are many. */
static void add_clock(struct buf *out, double elapsed_s, double left_s)
{
    double all_s = elapsed_s + fmax(left_s, 0), unit_s = all_s >= 600 ? 60 : 1;

    buf_addf(out, "[%.0f %s", fmax(elapsed_s, 0) / unit_s, unit_s > 1 ? "min" : "s");
    if (left_s > 0)
        buf_addf(out, " of %.0f", all_s / unit_s);
    buf_add(out, "] ");
}

/* ": 14 tried, best 2.02x" */
static void add_tried(struct buf *out, const struct progress_status *status)
{
    if (status->variants)
        buf_addf(out, ": %zu tried", status->variants);
    if (status->variants && status->best > 0)
        buf_addf(out, ", best %.2fx", status->best);
}

static bool starts_character(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

/* Control characters, and the second bytes that stand for them in Latin 1. */
static void make_harmless(struct buf *text)
{
    for (size_t i = 0; i < text->length; i++) {
        unsigned char c = (unsigned char)text->data[i];
        unsigned char before = i ? (unsigned char)text->data[i - 1] : 0;

        if (c < ' ' || c == 0x7f)
            text->data[i] = '?';
        else if (before == 0xc2 && c < 0xa0)
            text->data[i - 1] = text->data[i] = '?';
    }
}

static void cut(struct buf *text, size_t columns)
{
    size_t seen = 0, keep = 0;

    for (size_t i = 0; i < text->length; i++) {
        if (!starts_character(text->data[i]))
            continue;
        if (seen + 3 == columns)
            keep = i;
        if (seen++ == columns) {
            buf_truncate(text, columns < 3 ? 0 : keep);
            buf_add(text, columns < 3 ? "" : "...");
            return;
        }
    }
}

void progress_line(const struct progress_status *status, double elapsed_s, int columns,
                   struct buf *out)
{
    struct buf line = {0}, tried = {0};
    size_t room = columns > 0 ? (size_t)columns : 0;

    add_clock(&line, elapsed_s, status->left_s);
    add_tried(&tried, status);
    buf_add(&line, status->doing ? status->doing : "");
    make_harmless(&line);
    if (room > tried.length)
        cut(&line, room - tried.length);
    buf_add(&line, buf_str(&tried));
    cut(&line, room);
    buf_add(out, buf_str(&line));
    buf_release(&tried);
    buf_release(&line);
}

/* ---- what is written ---- */

/* On the screen now, and by which thread. */
static struct progress *_Atomic shown;
static pthread_t shown_by;

void progress_start(struct progress *progress, bool quiet, bool verbose)
{
    *progress =
        (struct progress){.quiet = quiet, .verbose = verbose, .started_s = clock_s()};
}

static bool in_place(const struct progress *progress)
{
    return !progress->quiet && !progress->verbose && term_is_capable(stderr);
}

/* The last column stays free: some terminals go to the next line with it. */
static void draw(struct progress *progress)
{
    struct buf line = {0};
    double now_s = clock_s();

    if (now_s - progress->started_s < first_draw_s ||
        now_s - progress->drawn_s < redraw_s)
        return;
    struct progress_status status = progress->status;
    if (status.left_s > 0)
        status.left_s = fmax(status.left_s - (now_s - progress->given_s), 0.1);
    progress_line(&status, now_s - progress->started_s, term_columns(stderr) - 1, &line);
    fprintf(stderr, "\r\033[K%s", buf_str(&line));
    fflush(stderr);
    buf_release(&line);
    progress->drawn_s = now_s;
    progress->on_screen = true;
}

static void log_entry(const struct progress *progress)
{
    struct buf line = {0};

    progress_line(&progress->status, clock_s() - progress->started_s, INT_MAX, &line);
    fprintf(stderr, "%s\n", buf_str(&line));
    buf_release(&line);
}

/* The text may go away before the line does. */
static void keep(struct progress *progress, const struct progress_status *status)
{
    progress->status = *status;
    progress->given_s = clock_s();
    if (progress->end_s > 0)
        progress->status.left_s = progress->end_s - progress->given_s;
    snprintf(progress->doing, sizeof(progress->doing), "%s",
             status->doing ? status->doing : "");
    progress->status.doing = progress->doing;
}

void progress_show(struct progress *progress, const struct progress_status *status)
{
    keep(progress, status);
    if (progress->quiet)
        return;
    if (progress->verbose) {
        log_entry(progress);
        return;
    }
    if (!in_place(progress))
        return;
    shown = progress;
    shown_by = pthread_self();
    draw(progress);
}

void progress_say(struct progress *progress, const char *format, ...)
{
    struct buf text = {0};
    va_list args;

    va_start(args, format);
    buf_addf_va(&text, format, args);
    va_end(args);
    progress_show(progress, &(struct progress_status){.doing = buf_str(&text)});
    buf_release(&text);
}

void progress_note(struct progress *progress, const char *format, ...)
{
    struct buf text = {0};
    va_list args;

    if (progress->quiet)
        return;
    va_start(args, format);
    buf_addf_va(&text, format, args);
    va_end(args);
    progress_clear(progress);
    make_harmless(&text);
    fprintf(stderr, "inflight: %s\n", buf_str(&text));
    buf_release(&text);
}

bool progress_is_shown(void)
{
    const struct progress *progress = shown;

    return progress && progress->on_screen;
}

void progress_clear(struct progress *progress)
{
    if (shown == progress)
        shown = NULL;
    if (!progress->on_screen)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    progress->on_screen = false;
}

void progress_tick(void)
{
    struct progress *progress = shown;
    double now_s;

    /* what the terminal does with a line would be part of what is timed */
    if (!progress || account_current() == ACCOUNT_TIMING ||
        !pthread_equal(shown_by, pthread_self()))
        return;
    now_s = clock_s();
    if (now_s - progress->drawn_s < tick_s)
        return;
    draw(progress);
}
