#define _GNU_SOURCE /* strcasestr */
#include "core/base/term.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "core/base/array.h"

bool term_is_capable(FILE *stream)
{
    const char *term = getenv("TERM");

    return isatty(fileno(stream)) && !(term && strcmp(term, "dumb") == 0);
}

bool term_colour(FILE *stream, enum colour_when when)
{
    const char *no_colour = getenv("NO_COLOR");

    if (when != COLOUR_AUTO)
        return when == COLOUR_ALWAYS;
    return term_is_capable(stream) && !(no_colour && *no_colour);
}

int term_columns(FILE *stream)
{
    struct winsize size = {0};

    if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return 80;
    return size.ws_col;
}

bool term_utf8(void)
{
    static const char *const variable[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < ARRAY_SIZE(variable); i++) {
        const char *locale = getenv(variable[i]);

        if (locale && *locale)
            return strcasestr(locale, "UTF-8") || strcasestr(locale, "utf8");
    }
    return false;
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
