#include <string.h>

#include "core/base/error.h"
#include "tests/check.h"

SUITE(base_error);

TEST("the first failure wins")
{
    struct error err = {0};

    check_eq(fail(&err, STATUS_INPUT, "cannot read '%s'", "a"), -1);
    check_eq(fail(&err, STATUS_USAGE, "later"), -1);
    check_eq(err.status, STATUS_INPUT);
    check_str(err.text, "cannot read 'a'");
    check_eq(fail(NULL, STATUS_USAGE, "nobody listens"), -1);
}

TEST("context goes before the text")
{
    struct error err = {0};

    fail(&err, STATUS_INPUT, "no such loop");
    check_eq(fail_in(&err, "plan %d", 3), -1);
    check_str(err.text, "plan 3: no such loop");
    check_eq(err.status, STATUS_INPUT);
    check_eq(fail_in(NULL, "x"), -1);
}

TEST("long texts are cut, not overrun")
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

TEST("clearing allows the next failure")
{
    struct error err = {0};

    fail(&err, STATUS_INPUT, "one");
    error_clear(&err);
    check_eq(err.status, STATUS_OK);
    fail(&err, STATUS_ILLEGAL, "two");
    check_str(err.text, "two");
}

TEST("every status has an exit status")
{
    check_eq(status_exit(STATUS_OK), 0);
    check_eq(status_exit(STATUS_FAILED), 1);
    check_eq(status_exit(STATUS_USAGE), 2);
    check_eq(status_exit(STATUS_MISSING), 6);
}
