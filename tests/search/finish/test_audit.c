/* --audit: what rules discarded is measured, counted and priced. */
#include <stdlib.h>
#include <string.h>

#include "search/finish/close.h"
#include "tests/search/scripted_trial.h"

SUITE(search_audit);

static const struct audited *item_of(const struct trial *trial, const char *name)
{
    for (size_t i = 0; i < trial->result.audit.nr; i++)
        if (!strcmp(trial->result.audit.item[i].transformation, name))
            return &trial->result.audit.item[i];
    return NULL;
}

static void check_sentence(const struct trial *trial, const char *want)
{
    char *text = audit_text(&trial->result.audit);

    check_contains(text, want);
    free(text);
}

TEST("a wrong rule is named and priced")
{
    static const struct space_entry entry[] = {
        {.plan = "unroll_jam(i:8)", .seconds = 0.7}, {.plan = NULL}};
    struct trial trial = {.opts.audit = true};
    const struct audited *jam;

    trial_start(&trial, entry);
    trial_run(&trial);
    check_str(trial.result.measurement[trial.result.best].plan, "unroll_jam(i:8)");
    jam = item_of(&trial, "unroll_jam");
    check(jam && jam->wrong);
    check_str(jam ? jam->rule : NULL, "t.jam");
    check_str(jam ? jam->plan : NULL, "unroll_jam(i:8)");
    check_eq(trial.result.audit.wrong_nr, 1);
    check_near(trial.result.audit.cost.value, 1 / 0.7, 0.01);
    check(trial.result.audit.cost.low > 1);
    check(trial.result.audit.no_plan_nr >= 1); /* nontemporal */
    check_sentence(&trial, "1 wrongly discarded by rule t.jam: that would have cost "
                           "1.429x (1.426 to 1.431)");
    trial_release(&trial);
}

/* The cost is against what was found without the audit, not against the original. */
TEST("the cost is over the winner without it")
{
    static const struct space_entry entry[] = {
        {.plan = "tile(i:32,j:32) unroll(*", .seconds = 0.4},
        {.plan = "tile(i:32,j:32)*", .seconds = 0.5},
        {.plan = NULL}};
    struct trial trial = {.opts.audit = true};

    trial_start(&trial, entry);
    trial.space.machine.prefetch_l2_gain = quantity_exact(1.05, PROVENANCE_CLOCK);
    trial_run(&trial);
    check_contains(trial.result.measurement[trial.result.best].plan, "unroll(");
    check_near(trial.result.source_gain.value, 2.5, 0.05);
    check_near(trial.result.audit.cost.value, 1.25, 0.02);
    trial_release(&trial);
}

TEST("right rules cost nothing")
{
    struct trial trial = {.opts.audit = true};

    trial_start(&trial, NULL);
    trial.space.time_s = space_valley;
    trial_run(&trial);
    check(trial.result.audit.measured_nr >= 1);
    check_eq(trial.result.audit.wrong_nr, 0);
    check_near(trial.result.audit.cost.value, 1, 0);
    check_sentence(&trial, "measured, none wrongly discarded");
    trial_release(&trial);
}

/* The gain of the audit is not there in the closing measurement. */
TEST("a gain that does not repeat condemns no rule")
{
    static const struct space_entry entry[] = {
        {.plan = "unroll_jam(i:8)",
         .seconds = 0.92,
         .ratio = {{1.2, 1.1, 1.3}, {1.0, 0.97, 1.03}}},
        {.plan = NULL}};
    struct trial trial = {.opts.audit = true};

    trial_start(&trial, entry);
    trial_run(&trial);
    check_eq(trial.result.best, 0);
    check_eq(trial.result.audit.wrong_nr, 0);
    check_near(trial.result.audit.cost.value, 1, 0);
    trial_release(&trial);
}

TEST("what the budget does not reach is counted")
{
    struct trial trial = {.opts = {.audit = true, .budget_variants = 3}};

    trial_start(&trial, NULL);
    trial_run(&trial);
    check_eq(trial.result.audit.measured_nr, 0);
    check(trial.result.audit.unreached_nr >= 2);
    check(!trial.result.audit.cost.known);
    check_sentence(&trial, "not reached within the budget");
    trial_release(&trial);
}

TEST("pages that pay against the rule are counted apart")
{
    struct search_result result = {
        .environment_gain = quantity_between(1.5, 1.4, 1.6, 6, PROVENANCE_CLOCK)};
    struct session session = {.result = &result};
    struct advice pages = {.transformation = (char *)(uintptr_t) "hugepages",
                           .rule = (char *)(uintptr_t) "t.pages",
                           .tried_plan = (char *)(uintptr_t) "huge pages",
                           .measured_speedup = result.environment_gain};
    struct error err = {0};

    audit_begin(&session, 0);
    audit_note(&session, &pages, 0, 0);
    check_ok(audit_close(&session, &err), &err);
    check_eq(result.audit.wrong_nr, 1);
    check_near(result.audit.cost.value, 1.5, 0);
    audit_release(&result.audit);
}

TEST("without it nothing is audited")
{
    struct trial trial = {0};
    char *text;

    trial_start(&trial, NULL);
    trial_run(&trial);
    text = audit_text(&trial.result.audit);
    check(!text && trial.result.audit.nr == 0);
    free(text);
    trial_release(&trial);
}
