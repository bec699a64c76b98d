#include "core/base/term.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/buf.h"

static const double first_draw_s = 1.0, redraw_s = 0.1;

static bool is_capable_terminal(FILE *stream)
{
    const char *term = getenv("TERM");

    return isatty(fileno(stream)) && !(term && strcmp(term, "dumb") == 0);
}

bool term_colour(FILE *stream, enum colour_when when)
{
    const char *no_colour = getenv("NO_COLOR");

    if (when != COLOUR_AUTO)
        return when == COLOUR_ALWAYS;
    return is_capable_terminal(stream) && !(no_colour && *no_colour);
}

int term_columns(FILE *stream)
{
    struct winsize size = {0};

    if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return 80;
    return size.ws_col;
}

char *date_now(void)
{
    char text[32] = "";
    time_t now = time(NULL);
    struct tm utc;

    if (gmtime_r(&now, &utc))
        strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
    return xstrdup(text);
}

double clock_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void progress_start(struct progress *progress, bool quiet, bool verbose)
{
    *progress =
        (struct progress){.quiet = quiet, .verbose = verbose, .started = clock_s()};
}

static void draw(struct progress *progress, const char *line)
{
    double now = clock_s();

    if (now - progress->started < first_draw_s || now - progress->drawn < redraw_s)
        return;
    fprintf(stderr, "\r\033[K%.*s", term_columns(stderr) - 1, line);
    fflush(stderr);
    progress->drawn = now;
    progress->on_screen = true;
}

void progress_say(struct progress *progress, const char *format, ...)
{
    bool in_place = is_capable_terminal(stderr);
    struct buf line = {0};
    va_list args;

    if (progress->quiet || (!in_place && !progress->verbose))
        return;
    va_start(args, format);
    buf_addf_va(&line, format, args);
    va_end(args);
    if (in_place)
        draw(progress, buf_str(&line));
    else
        fprintf(stderr, "%s\n", buf_str(&line));
    buf_release(&line);
}

void progress_clear(struct progress *progress)
{
    if (!progress->on_screen)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    progress->on_screen = false;
}
