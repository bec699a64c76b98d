/* --confirm on a workbench: what is asked of it without a machine that measures. */
#include <stdlib.h>
#include <string.h>

#include "advisor/session/confirm_live.h"
#include "search/live/live_parts.h"
#include "tests/advisor/finished_search.h"

SUITE(advisor_confirm);

static bool has_word(const struct strvec *words, const char *word)
{
    for (size_t i = 0; i < words->nr; i++)
        if (!strcmp(words->v[i], word))
            return true;
    return false;
}

/* The programs are told other contents; the kernel itself stays what it is. */
TEST("indices are ordered and put back")
{
    struct fixture fixture = {0};
    struct live *live;

    fixture_start(&fixture, "tune");
    live = fixture.bench.live;
    check(has_word(&live->args, "idx=1000:index(4000)"));
    check(live_order(live));
    check(has_word(&live->args, "idx=1000:ascending(4000)"));
    check(!has_word(&live->args, "idx=1000:index(4000)"));
    check(!live_order(live)); /* nothing is left to order */
    check_ok(live_rebind(live, 0, &fixture.err), &fixture.err);
    check(has_word(&live->args, "idx=1000:index(4000)"));
    fixture_release(&fixture);
}

TEST("nothing runs unasked")
{
    struct fixture fixture = {0};
    struct confirm_result result;

    fixture_start(&fixture, "tune");
    check_ok(confirm_live(&fixture.bench, &fixture.result.measurement[0], &result,
                          &fixture.err),
             &fixture.err);
    check(!result.sentence);
    confirm_release(&result);
    fixture_release(&fixture);
}

/* No traffic, no diagnosis: that is said and is no failure. */
TEST("without a diagnosis it says so")
{
    struct fixture fixture = {0};
    struct confirm_result result;

    fixture_start(&fixture, "tune");
    fixture.settings.confirm = true;
    fixture.bench.subject = live_subject(fixture.bench.live);
    fixture_add(&fixture, "simd", RUN_OUTCOME_OK, 0.4);
    check_ok(confirm_live(&fixture.bench, &fixture.result.measurement[1], &result,
                          &fixture.err),
             &fixture.err);
    check_contains(result.sentence, "there is no diagnosis to confirm");
    check_str(confirm_verdict_word(result.verdict), "not-done");
    confirm_release(&result);
    fixture_release(&fixture);
}
