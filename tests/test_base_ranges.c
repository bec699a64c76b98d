#include <CUnit/CUnit.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/ranges.h"
#include "tests/check.h"

static void ranges_are_read_one_by_one(void)
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

static void what_is_no_list_is_told(void)
{
    static const char *const bad[] = {"x", "-1", "3-1", "1-", "1;2", ",1", " 1"};

    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        const char *at = bad[i];
        long low, high;

        check_eq(range_next(&at, &low, &high), -1);
    }
}

static void words_are_found_and_joined(void)
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

CU_TestInfo base_ranges_tests[] = {
    {"ranges are read one by one", ranges_are_read_one_by_one},
    {"what is no list is told", what_is_no_list_is_told},
    {"words are found and joined", words_are_found_and_joined},
    CU_TEST_INFO_NULL,
};
