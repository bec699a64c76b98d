#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "tests/check.h"

SUITE(base_ranges);

TEST("ranges are read one by one")
{
    const char *at = "0-3,8\n";
    long low, high;

    check_eq(range_next(&at, &low, &high), 1);
    check(low == 0 && high == 3);
    check_eq(range_next(&at, &low, &high), 1);
    check(low == 8 && high == 8);
    check_eq(range_next(&at, &low, &high), 0);
    check_str(at, "\n");
    at = "";
    check_eq(range_next(&at, &low, &high), 0);
}

TEST("what is no list is told")
{
    static const char *const bad[] = {"x", "-1", "3-1", "1-", "1;2", ",1", " 1"};

    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        const char *at = bad[i];
        long low, high;

        check_eq(range_next(&at, &low, &high), -1);
    }
}

TEST("words are found and joined")
{
    struct strvec list = {0};
    char *none = strvec_join(&list, " "), *joined;

    check_str(none, "");
    check(!strvec_has(&list, "a"));
    strvec_push_once(&list, "a");
    strvec_push_once(&list, "bc");
    strvec_push_once(&list, "a");
    check_eq(list.nr, 2);
    check(strvec_has(&list, "bc") && !strvec_has(&list, "b"));
    joined = strvec_join(&list, ", ");
    check_str(joined, "a, bc");
    free(none);
    free(joined);
    strvec_release(&list);
}
