/* What a report's figures say together, and what it offers to type. */
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/options.h"
#include "advisor/program/commands.h"
#include "advisor/report/report.h"
#include "advisor/report/report_read.h"
#include "advisor/report/report_verdict.h"
#include "core/base.h"
#include "tests/check.h"

SUITE(advisor_settled);

static json_t *settled(const char *text)
{
    json_t *report = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    check(report != NULL);
    report_settle(report);
    return report;
}

static const json_t *advice_at(const json_t *report, size_t i)
{
    return json_array_get(json_object_get(report, "advice"), i);
}

static double value_of(const json_t *object, const char *key)
{
    return report_figure(report_quantity(object, key), "value");
}

/* Written 10 ms; tile 4 ms by its times, 2.4x by what was compared; simd on top. */
static const char searched[] =
    "{'command': 'tune', 'kernel': {'function': 'f', 'file': 'f.c'},"
    "'baseline': {'time_ns': {'median': 1e7}},"
    "'best': {'plan': 'tile(i:8)'},"
    "'source_gain': {'value': 2.5, 'low': 2.4, 'high': 2.6},"
    "'session_gain': {'value': 2.4, 'low': 2.2, 'high': 2.7},"
    "'variants': [{'plan': '', 'outcome': 'ok', 'time_ns': {'median': 1e7}},"
    " {'plan': 'tile(i:8)', 'outcome': 'ok', 'time_ns': {'median': 4e6},"
    "  'gain': {'value': 2.4, 'low': 2.2, 'high': 2.7}},"
    " {'plan': 'tile(i:8) simd', 'outcome': 'ok', 'time_ns': {'median': 5e6},"
    "  'gain': {'value': 1.9, 'low': 1.8, 'high': 2.0}}],"
    "'advice': [{'transformation': 'unroll', 'verdict': 'try', 'trust': 0.5,"
    "  'over': 'tile(i:8)', 'bound_speedup': {'value': 1.44, 'low': 1.3, 'high': 1.5}},"
    " {'transformation': 'pad', 'verdict': 'avoid'},"
    " {'transformation': 'fuse', 'verdict': 'try',"
    "  'bound_speedup': {'value': 1.005, 'low': 1, 'high': 1.01}},"
    " {'transformation': 'prefetch_l1', 'verdict': 'try', 'trust': 1,"
    "  'bound_speedup': {'value': 40, 'low': 20, 'high': 700}},"
    " {'transformation': 'simd', 'verdict': 'try', 'tried_plan': 'tile(i:8) simd',"
    "  'over': 'tile(i:8)', 'bound_speedup': {'value': 1.1, 'low': 1.0, 'high': 1.2}},"
    " {'transformation': 'tile', 'verdict': 'try', 'tried_plan': 'tile(i:8)',"
    "  'bound_speedup': {'value': 2, 'low': 1.9, 'high': 2.1}}]}";

static json_t *search_document(void)
{
    char *text = xstrdup(searched);
    for (char *c = text; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    json_t *report = settled(text);
    free(text);
    return report;
}

TEST("each plan has one gain")
{
    json_t *report = search_document();
    const json_t *verdict = json_object_get(report, "verdict");

    check_near(value_of(verdict, "gain"), 2.5, 1e-9);
    check_near(report_figure(report_plan_gain(report, "tile(i:8)"), "value"), 2.5, 1e-9);
    for (size_t i = 0; i < json_array_size(json_object_get(report, "advice")); i++) {
        const json_t *advice = advice_at(report, i);
        if (!strcmp(report_word(advice, "transformation"), "tile"))
            check_near(value_of(advice, "gain"), 2.5, 1e-9);
        if (!strcmp(report_word(advice, "transformation"), "simd"))
            check_near(value_of(advice, "gain"), 1.9, 1e-9);
    }
    check_str(report_word(verdict, "headline"), "2.50x faster with tile(i:8)");
    check_str(report_word(verdict, "confidence"), "high");
    json_decref(report);
}

/* Of the file alone: two comparisons, whose interval says nothing. */
TEST("a comparison that was too short gives way to the search's")
{
    json_t *report = search_document();
    json_object_set_new(
        report, "source_gain",
        json_pack("{s:f, s:f, s:f}", "value", 4.0, "low", 0.08, "high", 206.0));
    report_settle(report);
    check_near(value_of(json_object_get(report, "verdict"), "gain"), 2.4, 1e-9);
    json_decref(report);
}

TEST("advice is ordered by what is expected")
{
    static const struct {
        const char *name, *verdict;
    } want[] = {{"tile", "gained"},  {"prefetch_l1", "try"}, {"unroll", "try"},
                {"simd", "no gain"}, {"fuse", "no use"},     {"pad", "not recommended"}};
    json_t *report = search_document();

    for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
        check_str(report_word(advice_at(report, i), "transformation"), want[i].name);
        check_str(report_word(advice_at(report, i), "verdict_text"), want[i].verdict);
    }
    check_near(value_of(advice_at(report, 1), "expected"), 40, 1e-9);
    check_near(value_of(advice_at(report, 2), "expected"), 2.5 * 1.2, 1e-9);
    check_near(value_of(advice_at(report, 2), "most"), 2.5 * 1.44, 1e-9);
    json_decref(report);
}

/* No search does what a person is to do: the headline and the next command say so. */
TEST("what a person is to do is said to be")
{
    char text[] = "{'command': 'advise', 'kernel': {'function': 'f', 'file': 'f.c'},"
                  "'command_line': ['inflight', 'advise', 'f.c'],"
                  "'baseline': {'outcome': 'ok', 'time_ns': {'median': 1e7}},"
                  "'advice': [{'transformation': 'branch_free', 'verdict': 'try', "
                  "'trust': 0.5, 'by_hand': true,"
                  "'bound_speedup': {'value': 16, 'low': 16, 'high': 16}}]}";

    for (int by_hand = 1; by_hand >= 0; by_hand--) {
        char *copy = xstrdup(text);
        for (char *c = copy; *c; c++)
            *c = *c == '\'' ? '"' : *c;
        json_t *report = settled(copy), *advice = json_object_get(report, "advice");
        if (!by_hand) {
            json_object_del(json_array_get(advice, 0), "by_hand");
            report_settle(report);
        }
        const char *title =
            report_word(json_array_get(json_object_get(report, "next"), 0), "sentence");
        check_str(report_word(json_object_get(report, "verdict"), "headline"),
                  by_hand ? "try branch_free by hand first: about 4.0x expected"
                          : "try branch_free first: about 4.0x expected");
        check_str(title, by_hand ? "To try what can be done without a person:"
                                 : "To try the advice:");
        json_decref(report);
        free(copy);
    }
}

TEST("no bound is below what was measured")
{
    json_t *report = search_document();
    check(!report_quantity(advice_at(report, 0), "most"));
    check_near(value_of(advice_at(report, 3), "most"), 2.75, 1e-9);
    json_decref(report);
}

/* ---- what is offered to type ---- */

static char *argument_of(const struct option_row *row)
{
    if (!strcmp(row->name, "compile-commands"))
        return xstrdup("none");
    return xstrdup(
        row->kind == TIME || row->kind == COUNT || row->kind == NUMBER ? "5" : "n=5");
}

/* All that may be told to advise of a C file. */
static json_t *all_options(void)
{
    const struct command *advise = command_find("advise");
    json_t *words = json_pack("[s, s]", "advise", "f.c");
    const struct option_row *row;

    for (size_t i = 0; (row = option_row(i)); i++) {
        if (!command_takes(advise, row->name) || row->kind == BANDWIDTH ||
            row->kind == NANOSECONDS || row->kind == CHOICE)
            continue;
        char *option = xasprintf("--%s", row->name), *argument = argument_of(row);
        json_array_append_new(words, json_string(option));
        if (row->argument)
            json_array_append_new(words, json_string(argument));
        free(option);
        free(argument);
    }
    json_array_append_new(words, json_string("--"));
    json_array_append_new(words, json_string("-DX=2"));
    return words;
}

static const json_t *first_command(const json_t *report)
{
    return json_object_get(json_object_get(report, "verdict"), "next");
}

TEST("what is offered keeps the options that it takes")
{
    json_t *report = search_document();
    struct settings settings;
    struct error err = {0};
    char *argv[200];
    size_t nr = 0, i;
    const json_t *word;

    json_object_set_new(report, "command", json_string("advise"));
    json_object_set_new(report, "command_line", all_options());
    report_settle(report);
    json_array_foreach(first_command(report), i, word)
        if (i && nr < ARRAY_SIZE(argv))
            argv[nr++] = (char *)(uintptr_t)json_string_value(word);
    check_str(argv[0], "tune");
    check_ok(settings_parse(command_find("tune"), (int)nr, argv, &settings, &err), &err);
    check_str(settings.file, "f.c");
    check_str(settings.output, "f_tuned.c");
    check_str(settings.function, "n=5");
    check_eq(settings.words.nr, 5); /* set, buffer, assume, tunable, constraint */
    check(!settings.html && !settings.json && !settings.help);
    check_str(argv[nr - 1], "-DX=2");
    settings_release(&settings);
    json_decref(report);
}

TEST("arguments go with their options")
{
    static const char *const given[] = {"advise", "-bx = y", "a b.c", "--set=n=5",
                                        "--html", "p.html",  "-q",    "-fg"};
    json_t *report = search_document(), *want;

    json_object_set_new(report, "command", json_string("advise"));
    json_object_set_new(report, "command_line", json_strings(given, ARRAY_SIZE(given)));
    report_settle(report);
    want = json_pack("[s, s, s, s, s, s, s, s]", "inflight", "tune", "-bx = y", "a b.c",
                     "--set=n=5", "-fg", "-o", "f_tuned.c");
    check(json_equal(first_command(report), want));
    json_decref(want);
    json_decref(report);
}

/* ---- the other faces ---- */

/* A file whose name and whose strings would be marks elsewhere. */
static json_t *marked_document(void)
{
    json_t *report = search_document();
    json_object_set_new(report, "cause",
                        json_pack("{s:s, s:i, s:s}", "cause", "strided", "line", 7,
                                  "sentence", "<b>Strided</b> | `x`\nend"));
    json_object_set_new(json_object_get(report, "kernel"), "file",
                        json_string("a b/f%.c"));
    json_object_set_new(json_object_get(report, "kernel"), "line", json_integer(3));
    report_settle(report);
    return report;
}

TEST("SARIF has what its schema requires")
{
    json_t *report = marked_document(), *sarif = report_sarif(report);
    const json_t *run = json_array_get(json_object_get(sarif, "runs"), 0),
                 *driver = json_object_get(json_object_get(run, "tool"), "driver"),
                 *rules = json_object_get(driver, "rules"),
                 *results = json_object_get(run, "results"), *result;
    size_t i, lines = 0;

    check_str(report_word(sarif, "version"), "2.1.0");
    check_str(report_word(driver, "name"), "inflight");
    check_eq(json_array_size(results), 5); /* verdict, limit, tile, prefetch, unroll */
    json_array_foreach(results, i, result) {
        size_t index = (size_t)report_figure(result, "ruleIndex");
        const json_t *place = json_object_get(
            json_array_get(json_object_get(result, "locations"), 0), "physicalLocation");
        check_str(report_word(json_array_get(rules, index), "id"),
                  report_word(result, "ruleId"));
        check(report_has(json_object_get(result, "message"), "text"));
        check_str(report_word(json_object_get(place, "artifactLocation"), "uri"),
                  "a%20b/f%25.c");
        lines += report_figure(json_object_get(place, "region"), "startLine") == 7;
    }
    check_eq(lines, 4); /* all but the verdict, which is of the kernel */
    json_decref(sarif);
    json_decref(report);
}

TEST("diagnostics are a compiler's lines")
{
    json_t *report = marked_document();
    struct buf out = {0};

    report_diagnostics(report, &out);
    check_contains(buf_str(&out), "a b/f%.c:3:1: note: f: 2.50x faster with tile(i:8) (");
    check_contains(buf_str(&out), "a b/f%.c:7:1: warning: <b>Strided</b> | `x` end "
                                  "[inflight limit.strided]\n");
    buf_release(&out);
    json_decref(report);
}

/* ---- the change ---- */

static char *text_with_code(const char *ranges)
{
    static const char *const lines[] = {
        "--- a/f.c",           "+++ b/f.c", "@@ -1,2 +1,3 @@",    "+#define MIN 1", " x",
        "@@ -9,4 +9",          " {",        "-\tfor (i) a[i]++;", "+\tfor (ii)",    " }",
        "+\t\tfor (i) a[i]++;"};
    json_t *report = search_document();
    struct buf out = {0};

    json_object_set_new(report, "code",
                        json_pack("{s:o, s:{s:s}}", "lines",
                                  json_strings(lines, ARRAY_SIZE(lines)), "diffs",
                                  "tile(i:8)", ranges));
    json_object_set_new(report, "limit_line", json_string("a[i]++;"));
    report_text(report, false, false, 80, &out);
    json_decref(report);
    return buf_detach(&out);
}

TEST("the loop as it was and as it is")
{
    char *text = text_with_code("0-8 10 9");
    check_contains(text, "\n\nWhat was changed\n    -    for (i) a[i]++;\n    +    for "
                         "(ii)\n    +        for (i) a[i]++;\n\n");
    check_contains(text, "  limited by what was not measured\n             a[i]++;\n");
    check(!strstr(text, "MIN"));
    free(text);
}

TEST("a damaged diff is not shown")
{
    static const char *const bad[] = {"0-99", "3-1", "x", "0-", "5,6"};
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        char *text = text_with_code(bad[i]);
        check(!strstr(text, "What was changed"));
        free(text);
    }
}
