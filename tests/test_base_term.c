#define _XOPEN_SOURCE 700 /* ptsname */
#include <CUnit/CUnit.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/fs.h"
#include "core/base/term.h"
#include "tests/check.h"

static void colour_is_for_terminals(void)
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

static void no_color_and_dumb_are_heeded(void)
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

static void clock_goes_forward(void)
{
    double before = clock_s();

    check(before > 0);
    check(clock_s() >= before);
}

CU_TestInfo base_term_tests[] = {
    {"colour is for terminals unless asked for", colour_is_for_terminals},
    {"NO_COLOR and a dumb terminal are heeded", no_color_and_dumb_are_heeded},
    {"the clock goes forward", clock_goes_forward},
    CU_TEST_INFO_NULL,
};
