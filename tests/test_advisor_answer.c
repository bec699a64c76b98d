/* The answer of a report is true whatever came out. */
#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <string.h>

#include "tests/test_advisor_desk.h"

/* The text of a report, whatever else is in it, says this and not that. */
static void check_says(struct desk *desk, const char *yes, const char *no)
{
    json_t *report = desk_document(desk);
    struct buf out = {0};
    char *text, *flat, *to;

    report_text(report, false, false, 80, "my db", &out);
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
static void nothing_was_faster_but_a_file_was_wanted(void)
{
    struct desk desk = {0};

    desk_start(&desk, "tune");
    desk.input.output = "/home/user/gather_tuned.c";
    check_says(&desk, "/home/user/gather_tuned.c, the kernel as written", "diff");
    check_says(&desk, "inflight tune ", "--budget");
    check_says(&desk, " --audit", NULL);
    check_says(&desk, " inflight report 7 --evidence --database 'my db' ", NULL);
    free(desk.result.stop);
    desk.result.stop = xstrdup("the budget is used up");
    check_says(&desk, " --budget 10m", "--audit");
    desk_release(&desk);
}

/* It won the search, and the last measurement did not bear it out. */
static void a_gain_within_the_noise(void)
{
    struct desk desk = {0};

    desk_start(&desk, "tune");
    desk_add(&desk, "simd", RUN_OUTCOME_OK, 0.5);
    desk.result.best = 1;
    desk.result.source_gain = desk_gain(1.04, 0.98, 1.1);
    desk.input.emitted_gain = desk_gain(1.04, 0.98, 1.1);
    check_says(&desk, "1.04x as fast (95 % interval 0.98 to 1.10), not beyond the noise",
               "diff -u");
    check_says(&desk, "inflight apply gather.c --plan simd -o gather_tuned.c", NULL);
    desk.input.output = "/home/user/out put.c";
    check_says(&desk, " diff -u gather.c '/home/user/out put.c' ", "inflight apply");
    desk.input.output = "gather.patch";
    check_says(&desk, " cat gather.patch ", "diff -u");
    desk_release(&desk);
}

/* A figure would be taken for one. */
static void a_doubted_gain_has_no_figure(void)
{
    struct desk desk = {0};

    desk_start(&desk, "tune");
    desk_add(&desk, "simd", RUN_OUTCOME_OK, 0.5);
    desk.result.best = 1;
    desk.result.source_gain = desk_gain(4.37, 3.47, 5.5);
    desk.result.source_gain.doubted = true;
    desk.result.source_gain.disturbed = 0.76;
    desk.result.total_gain = desk_gain(12, 11.1, 13);
    check_says(&desk,
               "source not believed: the machine was busy (others had the "
               "processor for 76 % of the time); measure again when it is quiet",
               "4.37x as fast");
    check_says(&desk, "12.0x as fast", "3.47");
    desk.result.total_gain.disturbed = 0.3;
    check_says(&desk,
               "12.0x as fast (95 % interval 11.1 to 13.0); on a busy machine: others "
               "had the processor for 30 % of the time, which does not count",
               NULL);
    desk.result.total_gain.doubted = true;
    check_says(&desk, "not believed", "12.0x");
    desk.result.best = 0; /* nor is it said that there was none */
    desk.result.source_gain = quantity_exact(1, PROVENANCE_CLOCK);
    desk.result.source_gain.doubted = true;
    check_says(&desk, "not believed: the machine was busy; measure again",
               "no plan was faster");
    desk_release(&desk);
}

/* A title never says more than the figures. */
static void titles_say_how_sure_they_are(void)
{
    static const struct {
        enum resource limiter;
        enum fullness fullness;
        enum occupancy_why why;
        const char *title;
    } cases[] = {
        {RESOURCE_L1_QUEUE, FULLNESS_FULL, OCCUPANCY_WHY_FULL,
         "What limits the loop: the L1 miss queue (waiting for memory)"},
        {RESOURCE_L1_QUEUE, FULLNESS_UNDECIDED, OCCUPANCY_WHY_WINDOW,
         "What probably limits the loop: the L1 miss queue (waiting for memory)"},
        {RESOURCE_MEMORY, FULLNESS_NOT_FULL, OCCUPANCY_WHY_UNKNOWN,
         "What nearly limits the loop: memory bandwidth"},
        {RESOURCE_NONE, FULLNESS_UNKNOWN, OCCUPANCY_WHY_CACHE_RESIDENT,
         "What limits the loop: not memory, its data comes from the caches"},
        {RESOURCE_NONE, FULLNESS_UNKNOWN, OCCUPANCY_WHY_CHAINS,
         "What limits the loop: each address waits for the load before it"},
        {RESOURCE_NONE, FULLNESS_UNKNOWN, OCCUPANCY_WHY_UNKNOWN,
         "What limits the loop: not known"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct desk desk = {0};
        desk_start(&desk, "tune");
        struct occupancy *occupancy = &desk.result.measurement[0].occupancy;
        occupancy->limiter = cases[i].limiter;
        occupancy->why = cases[i].why;
        if (cases[i].limiter != RESOURCE_NONE)
            occupancy->resource[cases[i].limiter].fullness = cases[i].fullness;
        check_says(&desk, cases[i].title, NULL);
        desk_release(&desk);
    }
}

static void undecided_advice_is_marked(void)
{
    struct desk desk = {0};

    desk_start(&desk, "tune");
    desk_advise(&desk, "simd", VERDICT_STOP, 0);
    check_says(&desk, "stop simd: ", "undecided");
    desk.result.advice[0].undecided = true;
    check_says(&desk, "stop simd (undecided): ", NULL);
    check_says(&desk, "intervals allow the opposite verdict, too)", NULL);
    desk_release(&desk);
}

CU_TestInfo advisor_answer_tests[] = {
    {"nothing was faster, but a file was wanted",
     nothing_was_faster_but_a_file_was_wanted},
    {"a gain within the noise", a_gain_within_the_noise},
    {"a doubted gain has no figure", a_doubted_gain_has_no_figure},
    {"titles say how sure they are", titles_say_how_sure_they_are},
    {"undecided advice is marked", undecided_advice_is_marked},
    CU_TEST_INFO_NULL,
};
