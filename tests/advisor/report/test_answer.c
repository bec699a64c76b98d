/* The answer of a report is true whatever came out. */
#include <stdlib.h>
#include <string.h>

#include "tests/advisor/finished_search.h"

SUITE(advisor_answer);

/* The text of a report, whatever else is in it, says this and not that. */
static void check_says(struct fixture *fixture, const char *yes, const char *no)
{
    json_t *report = fixture_document(fixture);
    struct buf out = {0};
    char *text, *flat, *to;

    report_text(report, false, false, 80, &out);
    text = buf_detach(&out);
    flat = xstrdup(text);

    to = flat;
    for (const char *c = text; *c; c++)
        if ((*c != ' ' && *c != '\n') || (to > flat && to[-1] != ' '))
            *to++ = *c == '\n' ? ' ' : *c;
    *to = 0;
    if (yes)
        check_contains(flat, yes);
    check(!no || !strstr(flat, no));
    free(flat);
    free(text);
    json_decref(report);
}

/* What was asked for is written all the same; more time is offered only when that was
 * what ended it. */
TEST("nothing was faster, but a file was wanted")
{
    struct fixture fixture = {0};

    fixture_start(&fixture, "tune");
    fixture.input.output = "/home/user/gather_tuned.c";
    check_says(&fixture, "/home/user/gather_tuned.c, the kernel as written", "diff");
    check_says(&fixture, "inflight tune gather.c --audit --budget 5m", "longer");
    check_says(&fixture, " --audit", NULL);
    fixture.settings.database = "my db";
    check_says(&fixture, " inflight report 7 --evidence --database 'my db' ", NULL);
    free(fixture.result.stop);
    fixture.result.stop = xstrdup("the budget is used up");
    fixture.result.used_up = true;
    check_says(&fixture, " --budget 5m", "--audit");
    fixture_release(&fixture);
}

/* It won the search, and the last measurement did not bear it out. */
TEST("a gain within the noise")
{
    struct fixture fixture = {0};

    fixture_start(&fixture, "tune");
    fixture_add(&fixture, "simd", RUN_OUTCOME_OK, 0.5);
    fixture.result.best = 1;
    fixture.result.source_gain = fixture_gain(1.04, 0.98, 1.1);
    fixture.input.emitted_gain = fixture_gain(1.04, 0.98, 1.1);
    check_says(&fixture,
               "gather: perhaps 1.04x faster with simd (low confidence: 95 % interval "
               "0.98 to 1.10)",
               "diff -u");
    check_says(&fixture, "inflight apply gather.c --plan simd -o gather_tuned.c", NULL);
    fixture.input.output = "/home/user/out put.c";
    check_says(&fixture, " diff -u gather.c '/home/user/out put.c' ", "inflight apply");
    fixture.input.output = "gather.patch";
    check_says(&fixture, " cat gather.patch ", "diff -u");
    fixture_release(&fixture);
}

/* A figure would be taken for one. */
TEST("a doubted gain has no figure")
{
    struct fixture fixture = {0};

    fixture_start(&fixture, "tune");
    fixture_add(&fixture, "simd", RUN_OUTCOME_OK, 0.5);
    fixture.result.best = 1;
    fixture.result.source_gain = fixture_gain(4.37, 3.47, 5.5);
    fixture.result.source_gain.doubted = true;
    fixture.result.source_gain.disturbed = 0.76;
    fixture.result.total_gain = fixture_gain(12, 11.1, 13);
    check_says(&fixture,
               "gather: faster, but the machine was too busy to tell by how much, with "
               "simd (low confidence: the machine was busy)",
               "4.37x");
    check_says(&fixture,
               "not believed: the machine was busy (others had the processor for 76 % of "
               "the time); measure again when it is quiet",
               "3.47");
    check_says(&fixture, "both together 12.0x (11.1 to 13.0), over", NULL);
    fixture.result.total_gain.disturbed = 0.3;
    check_says(&fixture,
               "12.0x (11.1 to 13.0); on a busy machine: others had the processor for 30 "
               "% of the time, which does not count",
               NULL);
    fixture.result.total_gain.doubted = true;
    check_says(&fixture, "both together not believed", "12.0x");
    fixture.result.best = 0; /* nor is it said that there was none */
    fixture.result.source_gain = quantity_exact(1, PROVENANCE_CLOCK);
    fixture.result.source_gain.doubted = true;
    check_says(&fixture, "the machine was too busy to tell whether anything is faster",
               "nothing to gain");
    fixture_release(&fixture);
}

/* A title never says more than the figures. */
TEST("titles say how sure they are")
{
    static const struct {
        enum cause cause;
        enum confidence confidence;
        const char *title;
    } cases[] = {
        {CAUSE_L1_MSHRS, CONFIDENCE_HIGH,
         "What limits the loop: a full L1 miss queue (MSHRs) (high confidence)"},
        {CAUSE_MEMORY_BANDWIDTH, CONFIDENCE_LOW,
         "What limits the loop: memory bandwidth (low confidence)"},
        {CAUSE_CORE, CONFIDENCE_LOW,
         "What limits the loop: the core itself, not memory (low confidence)"},
        {CAUSE_UNKNOWN, CONFIDENCE_LOW, "limited by no single resource"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct fixture fixture = {0};
        fixture_start(&fixture, "tune");
        struct diagnosis *found = &fixture.result.measurement[0].occupancy.diagnosis;
        found->cause = cases[i].cause;
        found->confidence = cases[i].confidence;
        check_says(&fixture, cases[i].title, NULL);
        fixture_release(&fixture);
    }
}

TEST("undecided advice has low confidence")
{
    struct fixture fixture = {0};

    fixture_start(&fixture, "tune");
    fixture_advise(&fixture, "simd", VERDICT_TRY, 1.5);
    fixture.result.measurement[0].occupancy.diagnosis.confidence = CONFIDENCE_HIGH;
    check_says(&fixture, "try simd: about 1.28x expected (high confidence", NULL);
    fixture.result.advice[0].undecided = true;
    check_says(&fixture, "try simd: about 1.28x expected (low confidence", NULL);
    fixture_release(&fixture);
}
