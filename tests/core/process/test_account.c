#include <string.h>

#include "core/base.h"
#include "tests/check.h"

SUITE(base_account);

/* Scopes nest: what began an activity gives back the one before. */
TEST("activities nest")
{
    account_restart();
    enum account first = account_switch(ACCOUNT_COMPILING),
                 second = account_switch(ACCOUNT_TIMING);
    check_eq(first, ACCOUNT_OTHER);
    check_eq(second, ACCOUNT_COMPILING);
    check_eq(account_switch(second), ACCOUNT_TIMING);
    check_eq(account_switch(first), ACCOUNT_COMPILING);
}

/* Every moment is counted, and once. */
TEST("nothing is lost")
{
    double began_s = clock_s();
    account_restart();
    for (int i = 0; i < 1000; i++)
        account_switch((enum account)(i % ACCOUNT_NR));
    struct account_times times = account_now();
    double total_s = account_total_s(&times);
    check(total_s > 0 && total_s <= clock_s() - began_s);
    for (int i = 0; i < ACCOUNT_NR; i++)
        check(times.seconds[i] > 0);
}

/* What a child takes is what it was started for; else what is going on. */
TEST("children are counted")
{
    static const char *const argv[] = {"true", NULL};
    struct spawn_outcome outcome;
    struct error err = {0};

    account_restart();
    check_ok(
        spawn_run(&(struct spawn_request){.argv = argv, .account = ACCOUNT_VERIFYING},
                  &outcome, &err),
        &err);
    spawn_outcome_release(&outcome);
    check_eq(account_switch(ACCOUNT_TRACING), ACCOUNT_OTHER);
    check(account_now().seconds[ACCOUNT_VERIFYING] > 0);
    check_ok(spawn_run(&(struct spawn_request){.argv = argv}, &outcome, &err), &err);
    spawn_outcome_release(&outcome);
    check_eq(account_switch(ACCOUNT_OTHER), ACCOUNT_TRACING);
}

TEST("the share is that of our own work")
{
    const struct account_times times = {{[ACCOUNT_OTHER] = 1,
                                         [ACCOUNT_ANALYSIS] = 2,
                                         [ACCOUNT_COMPILING] = 20,
                                         [ACCOUNT_TIMING] = 30,
                                         [ACCOUNT_MACHINE] = 7}};
    const struct account_times nothing = {{0}};

    check_near(account_total_s(&times), 60, 1e-12);
    check_near(account_overhead_share(&times), 0.05, 1e-12);
    check_near(account_overhead_share(&nothing), 0, 0);
    for (int i = 0; i < ACCOUNT_NR; i++)
        check(strlen(account_key((enum account)i)) > 2 &&
              strlen(account_meaning((enum account)i)) > 2);
}
