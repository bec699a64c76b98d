/* Children beside each other, and their limits. */
#include <signal.h>

#include "core/base.h"
#include "tests/check.h"

SUITE(base_several);

/* Set from outside, a moment after the start; children inherit it. */
TEST("memory is limited")
{
    static const char *const argv[] = {"sh", "-c", "sleep 0.1; sh -c 'ulimit -v'", NULL};
    struct spawn_outcome outcome;
    struct error err = {0};

    check_ok(spawn_run(&(struct spawn_request){.argv = argv,
                                               .memory_limit_bytes = 512.0 * (1 << 20)},
                       &outcome, &err),
             &err);
    check_str(buf_str(&outcome.out), "524288\n");
    spawn_outcome_release(&outcome);
}

/* The place of the one that has ended; the other goes on. */
TEST("the first to end is told")
{
    static const char *const slow[] = {"sleep", "30", NULL}, *const quick[] = {"true",
                                                                               NULL};
    struct spawn_child *child[2] = {NULL, NULL};
    struct spawn_outcome outcome;
    struct error err = {0};

    check_ok(spawn_start(&(struct spawn_request){.argv = slow}, &child[0], &err), &err);
    check_ok(spawn_start(&(struct spawn_request){.argv = quick}, &child[1], &err), &err);
    check_eq(spawn_wait_one(child, 2), 1);
    check_ok(spawn_wait_all(&child[1], 1, false, &outcome, &err), &err);
    check_eq(outcome.end, SPAWN_EXITED);
    spawn_outcome_release(&outcome);
    kill(-spawn_pid(child[0]), SIGKILL);
    check_ok(spawn_wait_all(&child[0], 1, false, &outcome, &err), &err);
    check_eq(outcome.end, SPAWN_SIGNALLED);
    spawn_outcome_release(&outcome);
}

/* A moment for all ends those that run and those that begin later, until it is taken
 * back. */
TEST("all end at a moment")
{
    static const char *const sleeps[] = {"sleep", "600", NULL}, *const ends[] = {"true",
                                                                                 NULL};
    struct spawn_request request = {.argv = sleeps};
    struct spawn_outcome outcome = {0};
    struct error err = {0};

    check(!spawn_is_late());
    double moment_s = clock_s() + 0.2;
    check_near(spawn_end_at(moment_s), 0, 0);
    check_ok(spawn_run(&request, &outcome, &err), &err);
    check_eq(outcome.end, SPAWN_TIMED_OUT);
    spawn_outcome_release(&outcome);
    check(spawn_is_late());
    check_ok(spawn_run(&request, &outcome, &err), &err);
    check_eq(outcome.end, SPAWN_TIMED_OUT);
    spawn_outcome_release(&outcome);
    check_near(spawn_end_at(0), moment_s, 0);
    check(!spawn_is_late());
    request.argv = ends;
    check_ok(spawn_run(&request, &outcome, &err), &err);
    check_eq(outcome.end, SPAWN_EXITED);
    spawn_outcome_release(&outcome);
}
