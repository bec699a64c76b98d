#define _XOPEN_SOURCE 700 /* ptsname */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/buf.h"
#include "core/base/error.h"
#include "core/files/fs.h"
#include "core/process/term.h"
#include "tests/check.h"

SUITE(base_term);

TEST("colour is for terminals unless asked for")
{
    FILE *null = fopen("/dev/null", "w");

    check(!term_colour(null, COLOUR_AUTO));
    check(term_colour(null, COLOUR_ALWAYS));
    check(!term_colour(null, COLOUR_NEVER));
    check_eq(term_columns(null), 80);
    fclose(null);
}

/* A pseudo terminal; NULL where there are none. */
static FILE *open_terminal(int *master)
{
    *master = open("/dev/ptmx", O_RDWR | O_NOCTTY);
    if (*master < 0 || grantpt(*master) || unlockpt(*master))
        return NULL;
    return fopen(ptsname(*master), "r+");
}

TEST("NO_COLOR and a dumb terminal are heeded")
{
    char *term = xstrdup(getenv("TERM")), *no_color = xstrdup(getenv("NO_COLOR"));
    int master = -1;
    FILE *terminal = open_terminal(&master);

    if (terminal) {
        setenv("TERM", "xterm", 1);
        unsetenv("NO_COLOR");
        check(term_colour(terminal, COLOUR_AUTO));
        setenv("NO_COLOR", "", 1);
        check(term_colour(terminal, COLOUR_AUTO));
        setenv("NO_COLOR", "1", 1);
        check(!term_colour(terminal, COLOUR_AUTO));
        unsetenv("NO_COLOR");
        setenv("TERM", "dumb", 1);
        check(!term_colour(terminal, COLOUR_AUTO));
        fclose(terminal);
    } else {
        check_skip("no pseudo terminal here");
    }
    if (master >= 0)
        close(master);
    term ? setenv("TERM", term, 1) : unsetenv("TERM");
    no_color ? setenv("NO_COLOR", no_color, 1) : unsetenv("NO_COLOR");
    free(term);
    free(no_color);
}

TEST("the clock goes forward")
{
    double before = clock_s();

    check(before > 0);
    check(clock_s() >= before);
}

/* Names in files of others give the terminal no orders. */
TEST("control characters are shown as marks")
{
    static const struct {
        const char *text, *plain, *coloured;
    } cases[] = {
        {"a\tb\r\n", "a\tb\r\n", "a\tb\r\n"},
        {"\033]0;pwn\007x", "?]0;pwn?x", "?]0;pwn?x"},
        {"\033[32mtry\033[0m", "?[32mtry?[0m", "\033[32mtry\033[0m"},
        {"\033[97;48;5;52m9", "?[97;48;5;52m9", "\033[97;48;5;52m9"},
        {"\033[8mhidden", "?[8mhidden", "?[8mhidden"},
        {"\033[2J\b\x7f\r.", "?[2J???.", "?[2J???."},
        {"\xc2\x9b"
         "31m \xc3\xa9",
         "?31m \xc3\xa9", "?31m \xc3\xa9"},
        {"\033", "?", "?"},
        {"", "", ""},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct buf plain = {0}, coloured = {0};
        struct error err = {0};

        term_add_printable(&plain, cases[i].text, false);
        term_add_printable(&coloured, cases[i].text, true);
        check_str(buf_str(&plain), cases[i].plain);
        check_str(buf_str(&coloured), cases[i].coloured);
        fail(&err, STATUS_INPUT, "'%s'", cases[i].text);
        fail_in(&err, "%s", cases[i].text);
        check(!strpbrk(err.text, "\033\007\b\x7f"));
        buf_release(&plain);
        buf_release(&coloured);
    }
}
