/* --confirm on a workbench: what is asked of it without a machine that measures. */
#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/session/confirm_live.h"
#include "search/live/live.h"
#include "tests/test_advisor_desk.h"

static bool has_word(const struct strvec *words, const char *word)
{
    for (size_t i = 0; i < words->nr; i++)
        if (!strcmp(words->v[i], word))
            return true;
    return false;
}

/* The programs are told other contents; the kernel itself stays what it is. */
static void indices_are_ordered_and_put_back(void)
{
    struct desk desk = {0};
    struct live *live;

    desk_start(&desk, "tune");
    live = desk.bench.live;
    check(has_word(&live->args, "idx=1000:index(4000)"));
    check(live_order(live));
    check(has_word(&live->args, "idx=1000:ascending(4000)"));
    check(!has_word(&live->args, "idx=1000:index(4000)"));
    check(!live_order(live)); /* nothing is left to order */
    check_ok(live_rebind(live, 0, &desk.err), &desk.err);
    check(has_word(&live->args, "idx=1000:index(4000)"));
    desk_release(&desk);
}

static void nothing_runs_unasked(void)
{
    struct desk desk = {0};
    struct confirm_result result;

    desk_start(&desk, "tune");
    check_ok(confirm_live(&desk.bench, &desk.result.measurement[0], &result, &desk.err),
             &desk.err);
    check(!result.sentence);
    confirm_release(&result);
    desk_release(&desk);
}

/* No traffic, no diagnosis: that is said and is no failure. */
static void without_a_diagnosis_it_says_so(void)
{
    struct desk desk = {0};
    struct confirm_result result;

    desk_start(&desk, "tune");
    desk.settings.confirm = true;
    desk.bench.subject = live_subject(desk.bench.live);
    desk_add(&desk, "simd", RUN_OUTCOME_OK, 0.4);
    check_ok(confirm_live(&desk.bench, &desk.result.measurement[1], &result, &desk.err),
             &desk.err);
    check_contains(result.sentence, "there is no diagnosis to confirm");
    check_str(confirm_verdict_word(result.verdict), "not-done");
    confirm_release(&result);
    desk_release(&desk);
}

CU_TestInfo advisor_confirm_tests[] = {
    {"indices are ordered and put back", indices_are_ordered_and_put_back},
    {"nothing runs unasked", nothing_runs_unasked},
    {"without a diagnosis it says so", without_a_diagnosis_it_says_so},
    CU_TEST_INFO_NULL,
};
