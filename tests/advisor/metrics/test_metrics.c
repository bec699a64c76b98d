/*
 * inflight metrics on recorded counts, with the definitions of a made-up CPU, so that
 * shipped files may change: trees, tables, documents, pages, and every kind of bad input.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/advisor/metrics/metric_place.h"
#include "tests/cases.h"

SUITE(advisor_metrics);

#define PRINTED INFLIGHT_SOURCE_DIR "/tests/data/advisor/metrics.cases"

/* ---- what is printed ---- */

TEST("what is printed")
{
    check(check_commands(PRINTED, "metrics ", metric_place_make) >= 21);
}

/* A terminal of 80 columns is enough; colours take none. */
TEST("nothing is wider than the page")
{
    struct cases cases;

    cases_read(PRINTED, 1, &cases);
    for (size_t i = 0; i < cases.nr; i++) {
        const char *at = case_part(&cases.v[i], "output");

        for (; at && *at && !strstr(cases.v[i].name, "--color"); at += *at != 0) {
            check(strcspn(at, "\n") <= 80);
            at += strcspn(at, "\n");
        }
    }
    cases_release(&cases);
}

/* ---- what is refused ---- */

static const struct {
    const char *args;
    int code;
    const char *part;
} wrong[] = {
    {"", 2, "one of: a C file, a program after '--', --counts FILE, or --regions"},
    {"--counts old.csv two.c", 2, "one of: a C file"},
    {"--counts old.csv -- true", 2, "one of: a C file"},
    {"--list --counts old.csv", 2, "--list says what is defined"},
    {"--list --model topdown", 2, "--model says what to show of one file"},
    {"--list --save x.json", 2, "--save does not go with --list"},
    {"--list --machine skl", 2, "--machine does not go with --list"},
    {"--list --runs 2", 2, "--runs does not go with --list"},
    {"--counts old.csv --runs 2", 2, "was counted already"},
    {"--counts old.csv --cpu ./toy.json --memory hbm", 2, "name that with --machine"},
    {"--counts old.csv --cpu ./toy.json --set n=3", 2,
     "describes a kernel: name its C file"},
    {"--flags -O1 -- true", 2, "--flags describes a kernel: name its C file"},
    {"--seconds 2 -- true", 2, "--seconds gives the time that --counts FILE covers"},
    {"--counts skylake.csv --cpu ./toy.json", 3,
     "are of 'GenuineIntel-6-55-4', which 'skylake-sp' describes, not of 'toy'"},
    {"--counts epyc.csv --cpu ./toy.json", 3,
     "'AMD EPYC 7742 64-Core Processor', not of 'toy' (a CPU of the tests)"},
    {"--counts skylake.csv,epyc.csv", 3, "runs of the same work must come from one CPU"},
    {"--counts foreign.csv", 3, "'other', which no definition recognises"},
    {"--counts words.csv --cpu ./toy.json", 3, "words.csv:1: expected event,count"},
    {"--counts old.csv, --cpu ./toy.json", 2,
     "'old.csv,': the name of a file is missing"},
    {"--counts old.csv --cpu ./toy.json,./toy.json", 2,
     "names more CPUs than there are columns (1)"},
    {"--counts old.csv --counts new.csv --cpu ./toy.json,", 2,
     "has no name for 'new.csv'"},
    {"--counts no.csv --cpu ./toy.json", 3, "cannot read 'no.csv'"},
    {"--counts old.csv,no.csv --cpu ./toy.json", 3, "cannot read 'no.csv'"},
    {"--counts a=no.csv --cpu ./toy.json", 3, "cannot read 'no.csv'"},
    {"--counts old.csv --cpu skylke-sp", 3, "did you mean 'skylake-sp'?"},
    {"--counts old.csv --cpu ./none.json", 3, "./none.json"},
    {"--counts old.csv --cpu ./round.json", 3, "'cycles' rests on itself"},
    {"--counts old.csv --cpu ./unknown.json", 3, "'flops' asks for 'FLOPZ'"},
    {"--counts old.csv --cpu ./toy.json --model topdwn", 2, "did you mean 'topdown'?"},
    {"--counts old.csv --cpu ./toy.json --model TopDown", 2, "did you mean 'topdown'?"},
    {"--list --cpu ./toy.json --model top", 2, "has no model 'top'"},
    {"--counts old.csv --counts new.csv --counts tied.csv --cpu ./toy.json,./wide.json",
     2, "has no name for 'tied.csv'"},
    {"--counts old.csv --counts new.csv --cpu ./toy.json --save x.json", 2,
     "--save keeps the counts of one column"},
    {"--counts old.csv --cpu ./toy.json --save /nowhere/x.json", 2,
     "'/nowhere' of the output does not exist"},
    {"--counts old.csv --cpu ./toy.json --html /nowhere/x.html", 2,
     "'/nowhere' of the output does not exist"},
    {"--list --html page.html", 2, "--html does not go with --list"},
    {"--counts zero.csv --cpu ./toy.json", 6, "no metric of 'toy' can be computed"},
};

TEST("what is refused")
{
    struct place place = {0};

    metric_place_make(&place);
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        char *args = xasprintf("metrics %s", wrong[i].args);
        struct spawn_outcome outcome = {0};

        place_run(&place, args, &outcome);
        check_contains(buf_str(&outcome.err), wrong[i].part);
        check_eq(outcome.code, wrong[i].code);
        spawn_outcome_release(&outcome);
        free(args);
    }
    place_drop(&place);
}

/* Named definitions that know few of the events, while others know more of them. */
TEST("names that are doubtful")
{
    static const char counts[] = "event,count\ncycles,1000\ninstructions,2000\n"
                                 "UOPS_RETIRED.RETIRE_SLOTS,900\n"
                                 "IDQ_UOPS_NOT_DELIVERED.CORE,100\n"
                                 "L1D_PEND_MISS.PENDING,500\n";
    struct place place = {0};
    char *path;

    metric_place_make(&place);
    path = path_join(place.work, "whose.csv");
    check_ok(file_write(path, counts, strlen(counts), &place.err), &place.err);
    check_run(&place, "metrics --counts whose.csv --cpu zen4", 0,
              "*'zen4' knows 2 of the 5 events in 'whose.csv': are the*skylake-sp*", "");
    check_run(&place, "metrics --counts whose.csv --cpu skylake-sp --model topdown", 0,
              "*Frontend_Bound * 2.5 % of slots*", "");
    free(path);
    place_drop(&place);
}

TEST("advise takes what it uses")
{
    struct place place = {0};

    metric_place_make(&place);
    check_run(&place, "advise --counts old.csv --counts new.csv --machine skl", 2, "",
              "*one file of counts, got 'old.csv' and 'new.csv'*");
    check_run(&place, "advise --machine skl --bandwidth 9GB/s --access random --cpu zen4",
              2, "", "*--cpu names the definitions by which --counts*");
    check_run(&place, "advise --measurement x.json --cpu zen4", 2, "",
              "*--cpu does not go with --measurement*");
    check_run(&place, "advise --cpu zen4 -- true", 2, "", "*--cpu does not go with a*");
    place_drop(&place);
}

/* What the browser makes of it: tests/advisor/html. */
TEST("a page holds the document")
{
    struct place place = {0};
    struct buf page = {0};
    char *path;

    metric_place_make(&place);
    check_run(&place,
              "metrics --counts 'o<b>=old.csv' --counts new.csv --cpu ./toy.json --html "
              "page.html",
              0, "*", "page written to 'page.html'*");
    path = path_join(place.work, "page.html");
    check_ok(file_read(path, &page, &place.err), &place.err);
    check_contains(buf_str(&page), "<title>o&lt;b> \xc2\xb7 inflight metrics</title>");
    check_contains(buf_str(&page), "\"label\":\"o\\u003cb>\"");
    check_contains(buf_str(&page), "\"title\":\"Top-down, of slots\"");
    check(strstr(buf_str(&page), "o<b>") == NULL);
    free(path);
    buf_release(&page);
    place_drop(&place);
}

/* Every shipped file can be listed, and each that stands for itself in full. */
TEST("shipped files are listed")
{
    struct place place = {0};

    metric_place_make(&place);
    check_run(&place, "metrics --list", 0, "*skylake-sp *intel family 6 model 55*", "");
    check_run(&place, "metrics --list --cpu skylake-sp", 0,
              "skylake-sp: *Frontend_Bound (% of slots) = *\nEvents\n*"
              "IDQ_UOPS_NOT_DELIVERED:CORE, also *",
              "");
    check_run(&place, "metrics --list --json", 0, "*\"inflight.metrics-list/1\"*", "");
    place_drop(&place);
}

/* The counts of a case of core/metrics, as a file of their own. */
static void copy_case(struct place *place, const char *from, const char *one,
                      const char *name)
{
    char *path = path_join(place->work, name);
    json_error_t syntax;
    json_t *document = json_load_file(from, 0, &syntax);

    if (check(document != NULL))
        check_eq(
            json_dump_file(
                json_object_get(json_object_get(json_object_get(document, "cases"), one),
                                "counts"),
                path, 0),
            0);
    json_decref(document);
    free(path);
}

/* Of a deep tree without counts the top is shown; many reasons become one. */
TEST("many reasons are put together")
{
    struct place place = {0};

    metric_place_make(&place);
    copy_case(&place, INFLIGHT_SOURCE_DIR "/tests/data/metrics/a64fx.json", "all_memory",
              "a64fx.json");
    check_run(&place, "metrics --counts a64fx.json --model cycles", 0,
              "Fujitsu A64FX: *>   Memory_Bound *100.0 % of parent * L2_Wait_integer *"
              "L2_Wait_vector,*: division by 0, --evidence has the formulas\n*",
              "");
    check_run(&place, "metrics --counts a64fx.json --model cycles --evidence", 0,
              "*? L2_Wait_integer: formula *", "");
    check_run(&place, "metrics --counts old.csv --cpu power9 --model cycles", 0,
              "*Backend_Bound  *?\n  ? No_Instruction_To_Execute: *", "");
    check_run(&place, "metrics --counts old.csv --cpu skylake-sp", 0,
              "*  ? flops_per_s, *among*the*counts*are*says*which*", "");
    place_drop(&place);
}
