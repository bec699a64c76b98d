/* measure and compare from outside, with real programs of a few microseconds. No time is
 * judged. */
#include <stdlib.h>
#include <string.h>

#include "tests/advisor/place.h"

SUITE(advisor_measured);

/* A sweep as a person runs it: table, CSV, picture; one point cannot be measured. */
TEST("a sweep is measured, kept and printed again")
{
    struct place place = {0};
    struct spawn_outcome live = {0}, stored = {0};
    struct buf csv = {0};
    char *path;

    place_make(&place);
    place_run(&place,
              "measure two.c:8 --machine skl --cores 1 -q --sweep n=1000,1000G --csv "
              "s.csv",
              &live);
    check_eq(live.code, 0);
    check(
        text_matches(buf_str(&live.out),
                     "second in two.c\n*\n           1000 *ns*\n  1073741824000  n = "
                     "1073741824000 does not fit into 'int'\n*  1 of 2 points could not "
                     "be measured.\n"));
    path = path_join(place.work, "s.csv");
    check_ok(file_read(path, &csv, &place.err), &place.err);
    check(text_matches(buf_str(&csv),
                       "n,state,*\r\n1000,measured,*\r\n1073741824000,failed,n = *"));
    place_run(&place, "report", &stored);
    check_eq(stored.code, 0);
    check_str(buf_str(&stored.out), buf_str(&live.out));
    check_run(&place, "report --json", 0, "{*\"schema\": \"inflight.series/1\"*}\n", "");
    free(path);
    buf_release(&csv);
    spawn_outcome_release(&live);
    spawn_outcome_release(&stored);
    place_drop(&place);
}

TEST("one variant is measured")
{
    struct place place = {0};
    struct buf saved = {0};
    char *path;

    place_make(&place);
    check_run(&place,
              "measure two.c:8 --set n=1000 --machine skl --cores 1 -q --save m.json "
              "--cache L1=4K:4,L2=64K",
              0,
              "second in two.c, n = 1000\n*\nTime\n*\n  L1-L2*\n  L2-memory*\nMisses in "
              "flight\n*",
              "*");
    path = path_join(place.work, "m.json");
    check_ok(file_read(path, &saved, &place.err), &place.err);
    check(text_matches(buf_str(&saved), "{*\"schema\": \"inflight.measurement/1\"*}\n"));
    free(path);
    buf_release(&saved);
    place_drop(&place);
}

TEST("two functions of a file are compared")
{
    struct place place = {0};

    place_make(&place);
    check_run(&place,
              "compare versions.c:plain versions.c:doubled --machine skl --cores 1 -q "
              "--budget 1s",
              0,
              "plain in versions.c, n = 200\n*\n  ratio * before "
              "/ after*\nEvery queue before and after\n*",
              "*");
    place_drop(&place);
}

/* Off by 1e-5: what is said to be allowed of a float kernel is what is allowed. */
TEST("the tolerance that is told holds")
{
    static const struct {
        const char *option;
        int code;
        const char *out, *err;
    } cases[] = {
        {"", 0, "*Equal at *, float*within*0.0001.\n*", "*"},
        {"--tolerance 2e-5", 0, "*Equal at *, float*within*2e-05.\n*", "*"},
        {"--tolerance 1e-6", 1, "", "*the results differ*b[*"},
    };
    struct place place = {0};

    place_make(&place);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *line =
            xasprintf("compare versions.c:single versions.c:nearly --machine skl "
                      "--cores 1 -q --budget 1s %s",
                      cases[i].option);
        check_run(&place, line, cases[i].code, cases[i].out, cases[i].err);
        free(line);
    }
    place_drop(&place);
}

/* The definitions take the kernel's events for those of a divider: they count anywhere.
 */
TEST("counters tell the rules")
{
    struct place place = {0};
    struct spawn_outcome outcome = {0};

    place_make(&place);
    place_run(&place,
              "advise two.c:8 --set n=1000 --machine skl --cores 1 -q --evidence --cpu "
              "./counted_software.json",
              &outcome);
    if (strstr(buf_str(&outcome.err), "counters tell the rules nothing"))
        check_skip("no event of the kernel counts here");
    else
        check(
            text_matches(buf_str(&outcome.out),
                         "*not recommended*smt: The threads of a core share what sets *"
                         "full.shared_core]\n*Evidence: the kernel as written\n*"
                         "  Counters beside it, by the definitions of "
                         "counted_software:\n    Division           90 % of cycles\n*"));
    check_eq(outcome.code, 0);
    spawn_outcome_release(&outcome);
    check_run(&place,
              "advise two.c:8 --set n=1000 --machine skl --cores 1 -q --cpu nosuch", 3,
              "", "*inflight: there are no metrics of 'nosuch'*");
    place_drop(&place);
}
