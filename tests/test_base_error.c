#include <CUnit/CUnit.h>
#include <string.h>

#include "core/base/error.h"
#include "tests/check.h"

static void first_failure_wins(void)
{
    struct error err = {0};

    check_eq(fail(&err, STATUS_INPUT, "cannot read '%s'", "a"), -1);
    check_eq(fail(&err, STATUS_USAGE, "later"), -1);
    check_eq(err.status, STATUS_INPUT);
    check_str(err.text, "cannot read 'a'");
    check_eq(fail(NULL, STATUS_USAGE, "nobody listens"), -1);
}

static void context_goes_before(void)
{
    struct error err = {0};

    fail(&err, STATUS_INPUT, "no such loop");
    check_eq(fail_in(&err, "plan %d", 3), -1);
    check_str(err.text, "plan 3: no such loop");
    check_eq(err.status, STATUS_INPUT);
    check_eq(fail_in(NULL, "x"), -1);
}

static void long_texts_are_cut(void)
{
    struct error err = {0};
    char text[5000];

    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    fail(&err, STATUS_FAILED, "%s", text);
    check_eq(strlen(err.text), sizeof(err.text) - 1);
    fail_in(&err, "context");
    check_eq(strlen(err.text), sizeof(err.text) - 1);
    check(strncmp(err.text, "context: xxx", 12) == 0);
    fail_in(&err, "%s", text);
    check_eq(strlen(err.text), sizeof(err.text) - 1);
}

static void clear_allows_the_next(void)
{
    struct error err = {0};

    fail(&err, STATUS_INPUT, "one");
    error_clear(&err);
    check_eq(err.status, STATUS_OK);
    fail(&err, STATUS_ILLEGAL, "two");
    check_str(err.text, "two");
}

static void statuses_have_exit_and_text(void)
{
    check_eq(status_exit(STATUS_OK), 0);
    check_eq(status_exit(STATUS_FAILED), 1);
    check_eq(status_exit(STATUS_USAGE), 2);
    check_eq(status_exit(STATUS_MISSING), 6);
    check_contains(status_text(STATUS_ILLEGAL), "not legal");
}

CU_TestInfo base_error_tests[] = {
    {"the first failure wins", first_failure_wins},
    {"context goes before the text", context_goes_before},
    {"long texts are cut, not overrun", long_texts_are_cut},
    {"clearing allows the next failure", clear_allows_the_next},
    {"every status has exit status and text", statuses_have_exit_and_text},
    CU_TEST_INFO_NULL,
};
