/*
 * A program that starts a child, makes a scratch folder and ends in the way its argument
 * says; test_spawn.c looks at what is left. It makes the file "ready" in $TMPDIR
 * when all is set up and prints the child's process number.
 *
 *     $ TMPDIR=/tmp/x inflight_test_helper abort
 *     4711
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/files/fs.h"
#include "core/process/spawn.h"

static const char *const sleeper[] = {"sleep", "60", NULL};
/* Starts one that leaves its group and says its number in a file. */
static const char *const orphan[] = {
    "sh", "-c", "setsid sh -c 'echo $$ >\"$TMPDIR/stray\"; exec sleep 60' & sleep 60",
    NULL};
static struct spawn_child
    *child; /* static: reachable, so no leak, when we return early */
static char *scratch;

static int say_ready(struct error *err)
{
    char *path = path_join(getenv("TMPDIR"), "ready");
    int result = file_write(path, "", 0, err);

    free(path);
    return result;
}

static int wait_for_child(struct error *err)
{
    struct spawn_outcome outcome;

    if (spawn_wait_all(&child, 1, false, &outcome, err))
        return -1;
    printf("%s %d\n", spawn_end_word(outcome.end), outcome.code);
    spawn_outcome_release(&outcome);
    return 0;
}

/* What says what is known when an interrupt was caught; and what it does not ask for. */
static int run_later(bool after_interrupt, struct error *err)
{
    static const char *const argv[] = {"true", NULL};
    struct spawn_request request = {.argv = argv, .after_interrupt = after_interrupt};
    struct spawn_outcome outcome;

    if (spawn_run(&request, &outcome, err))
        return -1;
    printf("later %s %d\n", spawn_end_word(outcome.end), outcome.code);
    spawn_outcome_release(&outcome);
    return 0;
}

int main(int argc, char **argv)
{
    const char *mode = argc == 2 ? argv[1] : "";
    struct error err = {0};

    if (strcmp(mode, "catch") == 0)
        spawn_catch_interrupt();
    if (scratch_make(&scratch, &err) ||
        spawn_start(&(struct spawn_request){.argv = strcmp(mode, "stray") == 0 ? orphan
                                                                               : sleeper},
                    &child, &err))
        return 1;
    printf("%d\n", (int)spawn_pid(child));
    fflush(stdout);
    if (say_ready(&err))
        return 1;
    if (strcmp(mode, "abort") == 0)
        abort();
    if (strcmp(mode, "return") == 0)
        return 0;
    if (wait_for_child(&err))
        return 1;
    bool both = strcmp(mode, "catch") == 0;
    return both && (run_later(true, &err) || run_later(false, &err)) ? 1 : 0;
}
