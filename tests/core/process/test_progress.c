#define _XOPEN_SOURCE 700 /* ptsname */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/buf.h"
#include "core/files/fs.h"
#include "core/process/progress.h"
#include "tests/check.h"

SUITE(base_progress);

static const struct progress_status trying = {
    .doing = "trying tile(i:32,j:32)", .variants = 7, .best = 1.854, .left_s = 83.2};

static char *line_of(const struct progress_status *status, double elapsed_s, int columns)
{
    struct buf out = {0};

    progress_line(status, elapsed_s, columns, &out);
    return buf_detach(&out);
}

static void check_line(const struct progress_status *status, double elapsed_s,
                       int columns, const char *want)
{
    char *got = line_of(status, elapsed_s, columns);

    check_str(got, want);
    free(got);
}

TEST("the line of a search")
{
    const struct progress_status closing = {.doing = "huge pages: the winner",
                                            .variants = 1};

    check_line(&trying, 12.4, 132,
               "[12 s of 96] trying tile(i:32,j:32): 7 tried, best 1.85x");
    check_line(&trying, 12.4, 50, "[12 s of 96] trying tile(i...: 7 tried, best 1.85x");
    check_line(&trying, 12.4, 20, "[12 s of 96] tryi...");
    check_line(&closing, 700, 80, "[12 min] huge pages: the winner: 1 tried");
    check_line(&closing, 70, 40, "[70 s] huge pages: the winner: 1 tried");
}

/* Cut between characters, and never wider than asked for. */
TEST("never wider than the terminal")
{
    const struct progress_status wide = {.doing = "\xc3\xa4\xc3\xb6\xc3\xbc \xe2\x86\x92 "
                                                  "file.c, and much more behind it"};

    for (int columns = 0; columns < 90; columns++) {
        char *got = line_of(columns % 2 ? &trying : &wide, 12, columns);
        size_t characters = 0;

        for (const char *c = got; *c; c++)
            characters += ((unsigned char)*c & 0xc0) != 0x80;
        check(characters <= (size_t)columns);
        free(got);
    }
    check_line(&wide, 1, 12, "[1 s] \xc3\xa4\xc3\xb6\xc3\xbc...");
}

TEST("the cursor stays where it is")
{
    const struct progress_status evil = {.doing = "measuring a\n\033[2Jb\r\x7f\xc2\x9b"
                                                  "c"};

    check_line(&evil, 1, 80, "[1 s] measuring a??[2Jb????c");
}

/* Digits of the seconds do not matter here. */
static void without_digits(struct buf *text)
{
    size_t to = 0;

    for (size_t i = 0; i < text->length; i++)
        if (!strchr("0123456789. ", text->data[i]))
            text->data[to++] = text->data[i];
    buf_truncate(text, to);
}

/* What a progress with these settings writes when stderr is a file. */
static void check_progress(bool quiet, bool verbose, const char *want)
{
    char path[] = "/tmp/inflight-term-XXXXXX";
    int file = mkstemp(path), old = dup(2);
    struct progress progress;
    struct buf text = {0};
    struct error err = {0};

    fflush(stderr);
    dup2(file, 2);
    progress_start(&progress, quiet, verbose);
    progress_say(&progress, "step");
    progress_tick();
    progress_note(&progress, "this %s", "matters");
    progress_clear(&progress);
    fflush(stderr);
    dup2(old, 2);
    check_ok(file_read(path, &text, &err), &err);
    without_digits(&text);
    check_str(buf_str(&text), want);
    close(old);
    close(file);
    unlink(path);
    buf_release(&text);
}

TEST("only what matters in files")
{
    check_progress(false, false, "inflight:thismatters\n");
    check_progress(false, true, "[s]step\ninflight:thismatters\n");
    check_progress(true, true, "");
    check_progress(true, false, "");
}

/* What is written to a terminal of that many columns; NULL where there are none. */
static char *on_terminal(const char *term, unsigned short columns)
{
    int master = open("/dev/ptmx", O_RDWR | O_NOCTTY), slave = -1, old = dup(2);
    struct winsize size = {.ws_row = 24, .ws_col = columns};
    struct progress progress;
    char got[512] = "";

    if (master >= 0 && !grantpt(master) && !unlockpt(master))
        slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    if (slave >= 0) {
        ioctl(slave, TIOCSWINSZ, &size);
        fflush(stderr);
        dup2(slave, 2);
        setenv("TERM", term, 1);
        progress_start(&progress, false, false);
        progress.started_s -= 10; /* the first second is over */
        progress_show(&progress, &trying);
        progress_clear(&progress);
        progress_clear(&progress);
        fflush(stderr);
        dup2(old, 2);
        close(slave);
        for (ssize_t nr = 1, at = 0; nr > 0; at += nr) /* to its end */
            nr = read(master, got + at, sizeof(got) - 1 - (size_t)at);
    }
    if (master >= 0)
        close(master);
    close(old);
    return slave >= 0 ? xstrdup(got) : NULL;
}

TEST("one line in place, and gone")
{
    char *term = xstrdup(getenv("TERM")), *wide = on_terminal("xterm", 61),
         *dumb = on_terminal("dumb", 61);

    if (wide) {
        check_str(wide, "\r\033[K[10 s of 93] trying tile(i:32,j:32): 7 tried, best 1.85x"
                        "\r\033[K");
        check_str(dumb, "");
    } else {
        check_skip("no pseudo terminal here");
    }
    term ? setenv("TERM", term, 1) : unsetenv("TERM");
    free(term);
    free(wide);
    free(dumb);
}
