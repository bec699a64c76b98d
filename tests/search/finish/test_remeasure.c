/* First runs that mislead: what is measured again, and what comes of it. The figures are
 * of the kind that a busy machine gave for prefetches in gathers. */
#include <string.h>

#include "search/live/live_parts.h"
#include "tests/search/scripted_trial.h"
#include "variants/plan/plan.h"

SUITE(search_remeasure);

static void run_gather(struct trial *trial, const struct space_entry *entry)
{
    trial_start(trial, entry);
    space_gather(&trial->space.kernel, 40000000, 100000000);
    trial_run(trial);
}

static void check_best(const struct trial *trial, const char *plan)
{
    check_str(trial->result.measurement[trial->result.best].plan, plan);
}

TEST("an unlucky first run loses nothing")
{
    static const struct space_entry entry[] = {
        {.plan = "prefetch(table:32)",
         .seconds = 0.6,
         .quick = {{1.3, 0.75, 1.6}, {0.62, 0.58, 0.66}}},
        {.plan = "prefetch(table:*", .seconds = 1.2},
        {.plan = NULL}};
    struct trial trial = {0};

    run_gather(&trial, entry);
    check_best(&trial, "prefetch(table:32)");
    check(trial.result.source_gain.low > 1.5);
    check(space_count(&trial.space.asked, "quick prefetch(table:32)") >= 2);
    trial_release(&trial);
}

TEST("a lucky first run wins nothing")
{
    static const struct space_entry entry[] = {
        {.plan = "prefetch(table:16)",
         .seconds = 1.1,
         .quick = {{0.7, 0.5, 1.3}, {1.15, 1.1, 1.2}}},
        {.plan = "prefetch(table:32)",
         .seconds = 0.6,
         .quick = {{0.78, 0.55, 1.2}, {0.6, 0.58, 0.62}}},
        {.plan = "prefetch(table:*", .seconds = 1.2},
        {.plan = NULL}};
    struct trial trial = {0};

    run_gather(&trial, entry);
    check_best(&trial, "prefetch(table:32)");
    check_eq(space_count(&trial.space.compared, "as written : prefetch(table:16)"), 0);
    trial_release(&trial);
}

/* Slower beyond doubt, or as fast as what is known: neither is worth another run. */
TEST("what is excluded is not measured again")
{
    static const struct space_entry entry[] = {
        {.plan = "prefetch(table:16)", .seconds = 1, .quick = {{1.3, 1.15, 1.4}}},
        {.plan = "prefetch(table:*", .seconds = 1},
        {.plan = NULL}};
    struct trial trial = {0};

    run_gather(&trial, entry);
    check_eq(trial.result.best, 0);
    for (size_t i = 0; i < trial.space.asked.nr; i++)
        check_eq(space_count(&trial.space.asked, trial.space.asked.v[i]), 1);
    trial_release(&trial);
}

/* Its mean and what is known of its spread; once for the observer each time. */
TEST("runs are merged")
{
    static const struct space_entry entry[] = {
        {.plan = "prefetch(table:32)",
         .seconds = 0.9,
         .quick = {{1.2, 0.8, 1.3}, {0.96, 0.95, 0.97}},
         .ratio = {{1, 0.9, 1.1}, {1, 0.9, 1.1}}},
        {.plan = "prefetch(table:*", .seconds = 1.2},
        {.plan = NULL}};
    struct trial trial = {0};
    size_t at;

    trial.opts.budget_variants = 8;
    run_gather(&trial, entry);
    at = space_find(&trial.result, "prefetch(table:32)");
    if (check(at < trial.result.measurement_nr)) {
        const struct measurement *merged = &trial.result.measurement[at];

        check(merged->launches >= 2);
        check_eq(merged->sample_nr, 3 * merged->launches);
        check_eq(merged->sample[3].launch, 1);
        check(merged->time_s.low <= 0.97 && merged->time_s.high >= 1);
        check_eq(space_count(&trial.space.saved, "prefetch(table:32)"), merged->launches);
    }
    trial_release(&trial);
}

/* What looks like a gain worth having is compared again for longer; the second answer
 * stands, and so it does for what is kept. */
TEST("a doubtful comparison is repeated")
{
    static const struct space_entry entry[] = {
        {.plan = "prefetch(table:32)",
         .seconds = 0.92,
         .ratio = {{1.5, 0.9, 2.4}, {1.6, 1.4, 1.8}}},
        {.plan = "prefetch(table:*", .seconds = 1.2},
        {.plan = NULL}};
    struct trial trial = {0};

    run_gather(&trial, entry);
    check_best(&trial, "prefetch(table:32)");
    check_near(trial.result.source_gain.value, 1.6, 1e-9);
    check_eq(space_count(&trial.space.compared, "as written : prefetch(table:32)"), 3);
    trial_release(&trial);
}

/* b[i] twice is loaded once; a[i] read and written is what it is. */
TEST("the model says when it is unsure")
{
    struct kernel_param param = {.name = "n"};
    struct kernel_access access[] = {{.array = 0, .text = "a[i]"},
                                     {.array = 0, .text = "a[i]", .write = true},
                                     {.array = 1, .text = "b[i]"},
                                     {.array = 1, .text = "b[i + 1]"},
                                     {.array = 1, .text = "b[i]"}};
    struct kernel_view view = {
        .param = &param, .param_nr = 1, .access = access, .access_nr = 4};

    check(!live_is_unsure(&view));
    view.access_nr = 5;
    check(live_is_unsure(&view));
    view.access_nr = 0;
    param.name = "g->n";
    check(live_is_unsure(&view));
}

/* One of two may stay in a register: the loop model's half still holds. Two of three. */
TEST("what stays in registers makes it unsure")
{
    struct kernel_loop loop = {.innermost = true};
    struct kernel_access access[] = {
        {.array = 0, .text = "a[i]", .access_class = ACCESS_INVARIANT},
        {.array = 1, .text = "b[j]", .access_class = ACCESS_STREAMING},
        {.array = 2, .text = "c[i]", .access_class = ACCESS_INVARIANT}};
    struct kernel_view view = {
        .loop = &loop, .loop_nr = 1, .access = access, .access_nr = 2};

    check(!live_is_unsure(&view));
    view.access_nr = 3;
    check(live_is_unsure(&view));
    view.access_nr = 2;
    view.local_arrays = true;
    check(live_is_unsure(&view));
}

/* What the next ones have to beat must be right: else it is the kernel as written. */
TEST("a wrong reference gives way")
{
    char plans[3][16] = {"", "simd", "unroll(i:4)"};
    struct toolchain toolchain = {0};
    struct plan *none = NULL, *fast = NULL, *next = NULL;
    struct error err = {0};

    check(plan_parse(plans[0], &none, &err) == 0 &&
          plan_parse(plans[1], &fast, &err) == 0 &&
          plan_parse(plans[2], &next, &err) == 0);
    struct built original = {.plan = plans[0], .parsed = none, .toolchain = &toolchain},
                 faster = {.plan = plans[1], .parsed = fast, .toolchain = &toolchain},
                 other = {.plan = plans[2], .parsed = next, .toolchain = &toolchain};
    struct built *built[] = {&original, &faster, &other};
    struct live live = {.opts = {.toolchain = &toolchain}, .built = built, .built_nr = 3};
    const struct environment plain = {0};
    struct measurement measurement = {.time_s = quantity_exact(0.5, PROVENANCE_CLOCK)};

    live.original_s = quantity_exact(1, PROVENANCE_CLOCK);
    live_remember(&live, &faster, &measurement);
    check(live_paired(&live, &other, &plain) == &faster);
    check(live_paired(&live, &faster, &plain) == NULL);
    faster.refused = RUN_OUTCOME_WRONG_RESULT;
    check(live_paired(&live, &other, &plain) == &original);
    check_near(live.reference.time_s.value, 1, 0);
    check_eq(live.reference.calls, 0);
    live_forget(&live);
    plan_free(none);
    plan_free(fast);
    plan_free(next);
}
