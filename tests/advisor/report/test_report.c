/*
 * The report: its document and its text, against the files of tests/data/advisor/.
 * UPDATE_GOLDEN=1 in the environment rewrites them; look at the difference.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/advisor/finished_search.h"

SUITE(advisor_report);

static const char folder[] = INFLIGHT_SOURCE_DIR "/tests/data/advisor";

/* ---- comparing with files ---- */

static void check_file(const char *name, const char *got)
{
    char *path = path_join(folder, name);

    check_golden(path, got);
    free(path);
}

static char *text_of(const json_t *report, bool colour, bool evidence, int columns)
{
    struct buf out = {0};

    report_text(report, colour, evidence, columns, &out);
    return buf_detach(&out);
}

/* An old session prints as a new one. */
static void check_stored(const json_t *report, bool evidence, const char *text)
{
    char *stored = json_text(report), *again;
    struct error err = {0};
    json_t *read = NULL;

    if (check_ok(json_read_text(stored, "stored", "inflight.report/1", &read, &err),
                 &err)) {
        again = text_of(read, false, evidence, 80);
        check_str(again, text);
        free(again);
    }
    json_decref(read);
    free(stored);
}

static void check_width(const char *text, size_t columns)
{
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        check(strcspn(line, "\n") <= columns);
}

/* What is the same as in other texts is not said again: this is in it. */
static void check_says(struct fixture *fixture, bool evidence, const char *part)
{
    json_t *report = fixture_document(fixture);
    char *text = text_of(report, false, evidence, 80);

    check_contains(text, part);
    check_width(text, 80);
    check_stored(report, evidence, text);
    free(text);
    json_decref(report);
}

static void check_report(struct fixture *fixture, const char *name, bool evidence)
{
    json_t *report = fixture_document(fixture);
    char *text = text_of(report, false, evidence, 80);
    char *file = xasprintf("report_%s.txt", name);

    check_file(file, text);
    check_width(text, 80);
    check_stored(report, evidence, text);
    free(file);
    free(text);
    json_decref(report);
}

/* ---- the cases ---- */

/* What won the search, by a hair; with one step more. */
static size_t fixture_faster(struct fixture *fixture)
{
    fixture_add(fixture, "simd prefetch(table:64)", RUN_OUTCOME_OK, 0.259);
    return fixture->result.measurement_nr - 1;
}

static void a_search(struct fixture *fixture)
{
    struct advice *prefetch, *huge, *unroll;

    fixture_start(fixture, "tune");
    fixture_add(fixture, "prefetch(table:16)", RUN_OUTCOME_OK, 0.31);
    fixture_explain(fixture_add(fixture, "prefetch(table:64)", RUN_OUTCOME_OK, 0.26));
    fixture_add(fixture, "unroll(i:8)", RUN_OUTCOME_WRONG_RESULT, 0);
    fixture_add(fixture, "simd", RUN_OUTCOME_NOT_BUILT, 0);
    fixture_add(fixture, "", RUN_OUTCOME_OK, 0.4)->environment.huge_pages = true;
    fixture->result.best = 2;
    fixture_advise(fixture, "simd", VERDICT_STOP, 0);
    huge = fixture_advise(fixture, "hugepages", VERDICT_TRY, 1.4);
    huge->tried_plan = xstrdup("huge pages");
    huge->measured_speedup = fixture_gain(1.3, 1.25, 1.35);
    huge->outcome = xstrdup("environment: reported apart from the source");
    unroll = fixture_advise(fixture, "unroll", VERDICT_AVOID, 1.1);
    unroll->undecided = true;
    unroll->outcome = xstrdup("no plan of it ran to its end and gave the right results");
    prefetch = fixture_advise(fixture, "prefetch_l1", VERDICT_TRY, 4.7);
    prefetch->tried_plan = xstrdup("prefetch(table:64)");
    prefetch->measured_speedup = fixture_gain(2, 1.93, 2.08);
    prefetch->outcome = xstrdup("kept: faster beyond the noise");
    fixture_advise(fixture, "tile", VERDICT_TRY, 0)->outcome =
        xstrdup("tiling needs a nest of 2 to 4 loops, the hot one has 1");
    fixture->result.source_gain = fixture_gain(2, 1.92, 2.1);
    fixture->result.environment_gain = fixture_gain(1.3, 1.25, 1.35);
    fixture->result.total_gain = fixture_gain(2.4, 2.3, 2.5);
    fixture->input.emitted_gain = fixture_gain(1.99, 1.9, 2.09);
    fixture->input.emitted_verified = true;
    fixture->result.tie = xcalloc(2, sizeof(struct tie));
    fixture->result.tie[fixture->result.tie_nr++] =
        (struct tie){.index = 2, .ratio = fixture_gain(1.002, 0.985, 1.01), .tied = true};
    fixture->result.tie[fixture->result.tie_nr++] =
        (struct tie){.index = 1, .ratio = fixture_gain(0.9, 0.89, 0.92)};
    fixture->result.tie_winner = fixture_faster(fixture);
    fixture->input.time = (struct account_times){
        {[ACCOUNT_OTHER] = 0.5, [ACCOUNT_COMPILING] = 12.5, [ACCOUNT_TIMING] = 27}};
    fixture->input.output = "/home/user/gather_tuned.c";
    for (int i = 0; i < 8; i++) {
        char *plan = xasprintf("tile(i:%d)", 8 << i);
        fixture_prune(
            fixture, plan, "legality",
            "'out' in line 9 depends on 'out' in line 9 of an earlier iteration");
        free(plan);
    }
}

/* The audit of it: one rule was wrong. */
TEST("an audited search")
{
    struct audited item[] = {{.transformation = (char *)(uintptr_t) "unroll_jam",
                              .rule = (char *)(uintptr_t) "loop.single",
                              .plan = (char *)(uintptr_t) "unroll_jam(i:4)",
                              .gain = fixture_gain(1.08, 1.05, 1.11),
                              .wrong = true},
                             {.transformation = (char *)(uintptr_t) "fuse",
                              .rule = (char *)(uintptr_t) "loop.one_nest",
                              .gain = quantity_unknown()}};
    struct fixture fixture = {0};

    a_search(&fixture);
    fixture.result.audit = (struct search_audit){.item = item,
                                                 .nr = 2,
                                                 .measured_nr = 1,
                                                 .no_plan_nr = 1,
                                                 .unreached_nr = 3,
                                                 .wrong_nr = 1,
                                                 .cost = fixture_gain(1.08, 1.05, 1.11)};
    check_says(
        &fixture, false,
        "\n\nAudit of what the rules discarded\n"
        "  audit: 1 pruned transformation measured, 1 wrongly discarded by rule\n"
        "  loop.single: that would have cost 1.08x (1.05 to 1.11), and is kept; 1 had "
        "no\n"
        "  plan that could be measured; 3 not reached within the budget.\n"
        "  unroll_jam: 1.08x (1.05 to 1.11) by unroll_jam(i:4) [loop.single], wrongly\n"
        "  discarded\n");
    fixture.result.audit = (struct search_audit){0};
    fixture_release(&fixture);
}

TEST("a finished search")
{
    struct fixture fixture = {0};

    a_search(&fixture);
    check_report(&fixture, "tune", false);
    check_report(&fixture, "tune_evidence", true);
    fixture_release(&fixture);
}

static size_t lines_of(const char *text)
{
    size_t nr = 0;

    for (; *text; text++)
        nr += *text == '\n';
    return nr;
}

/* A screen and a half, however much was looked at. */
TEST("short without evidence")
{
    struct fixture fixture = {0};
    json_t *report;
    char *text;

    a_search(&fixture);
    for (int i = 0; i < 12; i++) {
        char *name = xasprintf("nothing%d", i);

        fixture_advise(&fixture, name, VERDICT_AVOID, 0);
        fixture_advise(&fixture, name + 1, i % 2 ? VERDICT_TRY : VERDICT_STOP, 1.1);
        free(name);
    }
    report = fixture_document(&fixture);
    text = text_of(report, false, false, 80);
    check(lines_of(text) <= 64);
    check_contains(text, "less promising: ");
    check_contains(text, "no use  ");
    check_contains(text, "nothing11");
    check(!strstr(text, "tile(i:8)"));
    free(text);
    text = text_of(report, false, true, 80);
    check(!strstr(text, "less promising: "));
    check_contains(text, "tile(i:1024)");
    free(text);
    json_decref(report);
    fixture_release(&fixture);
}

/* What core/ writes into a measurement has tests of its own. */
static void strip(json_t *measurement)
{
    json_object_del(measurement, "analysis");
    json_object_del(measurement, "queues");
    json_object_del(measurement, "traffic");
}

TEST("the document of a search")
{
    struct fixture fixture = {0};
    json_t *report;
    char *text;

    a_search(&fixture);
    report = fixture_document(&fixture);
    strip(json_object_get(report, "baseline"));
    strip(json_object_get(report, "best"));
    check(json_object_del(report, "profile") == 0);
    for (size_t i = 0; i < fixture.result.measurement_nr; i++)
        strip(json_array_get(json_object_get(report, "variants"), i));
    text = json_text(report);
    check_file("report_tune.json", text);
    free(text);
    json_decref(report);
    fixture_release(&fixture);
}

TEST("what passed before the budget began is not said to be of it")
{
    struct fixture fixture = {0};
    a_search(&fixture);
    json_t *report = fixture_document(&fixture);
    json_object_set_new(report, "budget",
                        json_pack("{s:f, s:f}", "seconds", 30.0, "before_s", 2.5));
    char *text = text_of(report, false, false, 200);
    check_contains(text, "It took 37.5 s of 30 s (and 2.5 s before, for the machine's "
                         "profile or a node), 7 variants");
    free(text);
    json_object_set_new(report, "campaign", json_object());
    text = text_of(report, false, false, 200);
    check_contains(text, "by nodes.");
    check(!strstr(text, "the rest"));
    free(text);
    json_decref(report);
    fixture_release(&fixture);
}

TEST("colour carries no meaning of its own")
{
    struct fixture fixture = {0};
    json_t *report;
    char *plain, *colour, *to;

    a_search(&fixture);
    report = fixture_document(&fixture);
    plain = text_of(report, false, true, 80);
    colour = to = text_of(report, true, true, 80);
    check_contains(colour, "\033[1m");
    check(!strchr(plain, '\033'));
    for (const char *from = colour; *from; from++) {
        if (*from == '\033')
            from = strchr(from, 'm');
        else
            *to++ = *from;
    }
    *to = 0;
    check_str(colour, plain);
    free(plain);
    free(colour);
    json_decref(report);
    fixture_release(&fixture);
}

TEST("narrow and wide terminals")
{
    static const struct {
        int columns;
        size_t max;
        bool evidence; /* its tables of traffic have 80 columns */
    } cases[] = {{20, 60, false}, {60, 60, false}, {60, 80, true}, {300, 100, true}};
    struct fixture fixture = {0};
    json_t *report;

    a_search(&fixture);
    report = fixture_document(&fixture);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *text = text_of(report, false, cases[i].evidence, cases[i].columns);

        check_width(text, cases[i].max);
        free(text);
    }
    json_decref(report);
    fixture_release(&fixture);
}

TEST("nothing was faster")
{
    struct fixture fixture = {0};

    fixture_start(&fixture, "tune");
    fixture_add(&fixture, "simd", RUN_OUTCOME_OK, 0.53);
    fixture_advise(&fixture, "simd", VERDICT_TRY, 1.3)->outcome =
        xstrdup("not kept: no gain beyond the noise");
    check_report(&fixture, "nothing", false);
    fixture_release(&fixture);
}

TEST("only advice")
{
    struct fixture fixture = {0};

    fixture_start(&fixture, "advise");
    fixture_advise(&fixture, "prefetch_l1", VERDICT_TRY, 4.7);
    free(fixture.result.stop);
    fixture.result.stop = xstrdup("only the baseline was asked for");
    fixture.bench.machine_note = (char *)(uintptr_t) "quick profile made now";
    check_report(&fixture, "advise", false);
    fixture_release(&fixture);
}

TEST("interrupted")
{
    struct fixture fixture = {0};

    fixture_start(&fixture, "tune");
    fixture_add(&fixture, "simd", RUN_OUTCOME_INTERRUPTED, 0);
    free(fixture.result.stop);
    fixture.result.stop = xstrdup("it was interrupted");
    fixture.result.interrupted = true;
    check_says(&fixture, true,
               "\n  Interrupted: this is what was known by then.\n\nWhat limits");
    check_says(&fixture, true,
               "\n  520 ms +-2%       as written\n"
               "  interrupted       simd: the reason for interrupted\n");
    check_says(&fixture, true, "\n  read from memory     unknown\n");
    check_says(&fixture, true,
               "\nNext\n  The same command continues where this one stopped");
    fixture_release(&fixture);
}

/* The first measurement already was stopped. */
TEST("interrupted at once")
{
    struct fixture fixture = {0};

    fixture_start(&fixture, "tune");
    search_result_release(&fixture.result);
    fixture.result = (struct search_result){.source_gain = quantity_exact(1, 0),
                                            .environment_gain = quantity_unknown(),
                                            .total_gain = quantity_unknown(),
                                            .headroom_bound = quantity_unknown(),
                                            .headroom_resource = RESOURCE_NONE,
                                            .stop = xstrdup("it was interrupted"),
                                            .interrupted = true,
                                            .space_size = -1};
    check_says(&fixture, true,
               "could not be measured (low confidence)\n  limited by what was not "
               "measured\n");
    fixture_add(&fixture, "", RUN_OUTCOME_INTERRUPTED, 0);
    check_report(&fixture, "interrupted_at_once", true);
    fixture_release(&fixture);
}

TEST("without occupancy")
{
    struct fixture fixture = {0};

    fixture_start(&fixture, "tune");
    measurement_release(&fixture.result.measurement[0]);
    fixture.result.measurement_nr = 0;
    fixture_add(&fixture, "", RUN_OUTCOME_OK, 0.52);
    fixture.result.headroom_bound = quantity_unknown();
    fixture.result.headroom_resource = RESOURCE_NONE;
    check_says(&fixture, false,
               "What limits the loop: what was not measured\n"
               "  The kernel's traffic was not measured.\n\n");
    check_says(
        &fixture, false,
        "The search ended because no rule says that anything else can pay, after 42 s\n"
        "  and 1 variant.\n");
    fixture_release(&fixture);
}

/* An interval that is open above has no number there. */
TEST("open intervals are marked")
{
    struct fixture fixture = {0};
    json_t *report;
    char *text;

    fixture_start(&fixture, "tune");
    fixture.result.measurement[0].occupancy.resource[RESOURCE_L1_QUEUE].utilization.high =
        INFINITY;
    fixture.result.environment_gain.known = true;
    fixture.result.environment_gain = fixture_gain(1.2, 1.1, INFINITY);
    report = fixture_document(&fixture);
    text = text_of(report, false, true, 80);
    check_contains(text, "21% (19-?)");
    check_contains(text, "1.20x (1.10 or more), for the kernel as written");
    check(!strstr(text, "nan"));
    free(text);
    json_decref(report);
    fixture_release(&fixture);
}

/* Whatever is in a database, it is shown or left out. */
TEST("damaged documents do no harm")
{
    static const char *const document[] = {
        "{}",
        "{\"kernel\": 3, \"machine\": [], \"advice\": {}, \"variants\": null}",
        "{\"left\": {\"bound\": {\"value\": 2}, \"resource\": \"warp drive\"}}",
        "{\"baseline\": {\"queues\": [{\"utilization\": {}}, 7, null]}, \"advice\": [1]}",
        "{\"variants\": [{\"plan\": 5, \"time_ns\": {}}], \"pruned\": [[]]}",
    };

    for (size_t i = 0; i < ARRAY_SIZE(document); i++) {
        json_t *report = json_loads(document[i], 0, NULL);
        report_settle(report);
        char *text = text_of(report, true, true, 80);

        check_contains(text, "What limits the loop");
        free(text);
        json_decref(report);
    }
}

TEST("the comment of an emitted file")
{
    struct fixture fixture = {0};
    char *comment;

    fixture_start(&fixture, "tune");
    comment = report_comment(&fixture.bench, "prefetch(table:64)",
                             fixture_gain(2, 1.92, 2.1), "");
    check_contains(comment, " from gather.c, function gather.\n"
                            "Plan: prefetch(table:64)\nMachine: round\n"
                            "Compiler: gcc (Debian) 12.2.0\nDate: 20");
    check_contains(comment,
                   "\nMeasured gain: 2.00x (95% interval 1.92 to 2.10), source alone\n");
    free(comment);
    comment = report_comment(&fixture.bench, "parallel(i)", fixture_gain(2, 1.92, 2.1),
                             "4 threads");
    check_contains(comment,
                   "\nMeasured gain: 2.00x (95% interval 1.92 to 2.10), 4 threads\n");
    free(comment);
    comment = report_comment(&fixture.bench, "simd", fixture_gain(1.04, 0.98, 1.1), "");
    check_contains(comment, "\nMeasured gain: 1.04x (95% interval 0.98 to 1.10, not "
                            "beyond the noise), source alone\n");
    free(comment);
    comment = report_comment(&fixture.bench, "", quantity_exact(1, PROVENANCE_CLOCK), "");
    check_contains(comment, "Plan: none, as written\n");
    check(!strstr(comment, "gain"));
    free(comment);
    fixture_release(&fixture);
}
