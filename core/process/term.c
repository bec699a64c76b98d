#define _GNU_SOURCE /* strcasestr */
#include "core/process/term.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/buf.h"

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

/* Bytes of the sequence at the text that sets a colour or weight of ours; 0 = it is none.
 * Others of the kind hide what follows. */
static size_t colour_length(const char *text)
{
    static const char *const ours[] = {"0m", "1m", "1;31m", "31m", "32m", "33m"};
    static const char shade[] = "97;48;5;";
    if (strncmp(text, "\033[", 2))
        return 0;
    for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
        if (!strncmp(text + 2, ours[i], strlen(ours[i])))
            return 2 + strlen(ours[i]);
    size_t length = 2 + strspn(text + 2, "0123456789;");
    return !strncmp(text + 2, shade, strlen(shade)) && text[length] == 'm' ? length + 1
                                                                           : 0;
}

/* Bytes of the control character at the text, 0 = it is none: those of ASCII, and U+0080
 * to U+009F as UTF-8. */
static size_t control_length(const char *text)
{
    unsigned char first = (unsigned char)text[0], second = (unsigned char)text[1];
    if (first == 0xc2 && second >= 0x80 && second <= 0x9f)
        return 2;
    bool line = first == '\n' || first == '\t' || (first == '\r' && second == '\n');
    return (first < ' ' && !line) || first == 0x7f;
}

void term_add_printable(struct buf *out, const char *text, bool colour)
{
    while (*text) {
        size_t kept = colour ? colour_length(text) : 0, control = control_length(text);
        if (kept)
            buf_add_n(out, text, kept);
        else if (control)
            buf_add(out, "?");
        else
            buf_add_n(out, text, 1);
        text += kept ? kept : control ? control : 1;
    }
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
