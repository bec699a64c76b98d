/* The budget that suits a kernel, and what is said where it cannot be kept. */
#include <string.h>

#include "advisor/cli/deadline.h"
#include "advisor/cli/settings.h"
#include "search/live/live.h"
#include "tests/check.h"

SUITE(advisor_deadline);

static struct budget choose(struct settings settings, bool tune, double call_s,
                            double fill_s)
{
    struct live_look look = {call_s, fill_s};
    struct budget budget = {0};

    budget_choose(&settings, tune, &look, 1, &budget);
    return budget;
}

static void check_budget(struct settings settings, bool tune, double call_s,
                         double fill_s, double want_s)
{
    struct budget budget = choose(settings, tune, call_s, fill_s);

    check_near(budget.seconds, want_s, 1e-9);
    budget_release(&budget);
}

static const struct settings plain = {.budget_s = -1},
                             quick = {.budget_s = -1, .quick = true},
                             thorough = {.budget_s = -1, .thorough = true};

TEST("long calls get more time")
{
    check_budget(plain, true, 1e-6, 0, 30);
    check_budget(plain, true, 0.1, 1, 45);
    check_budget(plain, true, 1, 3, 90);
    check_budget(plain, true, 100, 3, 300);
    check_budget(plain, true, 0, 0, 30); /* it could not be told */
}

TEST("quick and thorough are multiples")
{
    check_budget(quick, true, 0.1, 1, 14);
    check_budget(thorough, true, 0.1, 1, 175);
    check_budget(plain, false, 0.1, 0.1, 9);
    check_budget(quick, false, 0.1, 0.1, 3);
    check_budget(thorough, false, 0.1, 0.1, 35);
}

TEST("what is asked for stands")
{
    struct settings asked = {.budget_s = 12.5};

    check_budget(asked, true, 100, 3, 12.5);
}

TEST("tracing gets a tenth")
{
    struct settings asked = {.budget_s = 30};
    struct budget budget = choose(asked, true, 0.1, 0.1);

    check_near(budget.trace_s, 3, 1e-12);
    check(budget.trace_one_s < budget.trace_s);
    budget_release(&budget);
}

TEST("it is said with its reason")
{
    struct settings asked = {.budget_s = 30};
    struct budget own = choose(plain, true, 0.1, 1), given = choose(asked, true, 0.1, 0);

    check_str(own.sentence, "budget 45 s in all: a call takes about 100 ms, filling the "
                            "arrays 1 s; --budget, "
                            "--quick and --thorough change it");
    check_str(given.sentence, "budget 30 s in all: a call takes about 100 ms");
    check(!own.shortage);
    budget_release(&own);
    budget_release(&given);
}

/* A second is spent, three builds are to come. */
TEST("too little is said before, and what suffices")
{
    struct settings asked = {.budget_s = 15}, tight = {.budget_s = 5};
    struct budget budget = choose(asked, true, 20, 0.5);

    check_near(budget.min_s, 47, 1e-9);
    check_near(budget.one_try_s, 140, 1e-9);
    check_str(
        budget.shortage,
        "15 s are too little: the kernel as written alone takes 47 s or more, "
        "since a call takes about 20 s, filling the arrays 500 ms, and it is built, "
        "checked once, measured in one launch and traced; for a first try --budget "
        "140s is the least; smaller sizes (--set) are quicker");
    budget_release(&budget);
    budget = choose(asked, true, 0.6, 4);
    check_near(budget.min_s, 29.7, 1e-9);
    check_contains(budget.shortage, "measured in three launches");
    budget_release(&budget);
    /* of a short call it is the builds */
    budget = choose(tight, true, 0, 0);
    check_str(budget.shortage,
              "5 s are too little: the kernel as written alone takes 6 s or more, since "
              "it is built, checked once, measured in three launches and traced; for a "
              "first try --budget 9s is the least; smaller sizes (--set) are quicker");
    budget_release(&budget);
    /* what nobody asked for is no promise of builds */
    budget = choose(plain, false, 1e-6, 0);
    check(!budget.shortage);
    budget_release(&budget);
}

TEST("a call shall be a sixtieth")
{
    struct settings asked = {.budget_s = 12};

    check_near(budget_call_s(&asked), 0.2, 1e-12);
    check_near(budget_call_s(&plain), 0.5, 1e-12);
    check_near(budget_call_s(&thorough), 2, 1e-12);
}

TEST("one of the three is given")
{
    struct settings both = quick, asked = quick;
    struct error err = {0};

    both.thorough = true;
    asked.budget_s = 10;
    check_ok(budget_check(&quick, &err), &err);
    check_ok(budget_check(&thorough, &err), &err);
    check_fails(budget_check(&both, &err), &err, STATUS_USAGE,
                "--quick and --thorough exclude each other");
    check_fails(budget_check(&asked, &err), &err, STATUS_USAGE,
                "--quick and --budget exclude each other");
}
