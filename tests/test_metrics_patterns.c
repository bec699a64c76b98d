/*
 * Patterns between versions on the tables of Gravelle 2022: what its text concludes is
 * said, and nothing that it does not. The cases are data:
 * tests/data/metrics/patterns/cases.json.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "advisor/metrics/metrics_patterns.h"
#include "core/base/formula.h"
#include "core/files/fs.h"
#include "tests/check.h"
#include "tests/metric_tables.h"

#define FOLDER INFLIGHT_SOURCE_DIR "/tests/data/metrics/"

/* ---- a column of a table as counts ---- */

struct version {
    struct metric_set *set;
    struct count_set counts;
    struct metric_given given[2];
    struct metric_question question;
};

static void version_release(struct version *version)
{
    metric_set_free(version->set);
    count_set_release(&version->counts);
}

static int column_named(const struct metric_table *table, const json_t *name)
{
    const char *cpu = json_string_value(json_array_get(name, 0)),
               *label = json_string_value(json_array_get(name, 1));

    for (size_t i = 0; i < table->column_nr; i++)
        if (!strcmp(table->column[i].cpu, cpu) && !strcmp(table->column[i].label, label))
            return (int)i;
    return -1;
}

static void count_metric(const struct metric_table *table, size_t column,
                         const char *name, struct count_set *counts)
{
    struct printed value = metric_table_at(table, name, column);
    char *event = xasprintf("table::%s", name);

    if (value.known)
        count_set_add(
            counts, event,
            quantity_between(value.value, value.low, value.high, 1, PROVENANCE_RECORDED),
            1);
    free(event);
}

/* Lines and vectors as the machines of the tables have them. */
static bool version_open(const struct metric_table *table, const json_t *name,
                         struct version *version)
{
    struct error err = {0};
    int column = column_named(table, name);

    *version = (struct version){0};
    if (!check(column >= 0))
        return false;
    char *path = xasprintf(FOLDER "patterns/printed_%s.json", table->column[column].cpu);
    bool a64fx = !strcmp(table->column[column].cpu, "a64fx");
    if (check_ok(metric_set_load(path, NULL, &version->set, &err), &err))
        for (size_t i = 0; i < version->set->metric_nr; i++)
            count_metric(table, (size_t)column, version->set->metric[i].name,
                         &version->counts);
    free(path);
    version->given[0] = (struct metric_given){
        "line_bytes", quantity_exact(a64fx ? 256 : 64, PROVENANCE_TABLE)};
    version->given[1] =
        (struct metric_given){"vector_bits", quantity_exact(512, PROVENANCE_TABLE)};
    version->question =
        (struct metric_question){version->set, &version->counts, version->given, 2};
    return version->set != NULL;
}

/* ---- cases ---- */

/* The ids behind the sentences, "time.faster locality". */
static char *ids_of(const struct strvec *said)
{
    struct buf ids = {0};

    for (size_t i = 0; i < said->nr; i++) {
        const char *open = strrchr(said->v[i], '[');

        if (check(open != NULL))
            buf_addf(&ids, "%s%.*s", ids.length ? " " : "", (int)strcspn(open + 1, "]"),
                     open + 1);
        check(strstr(said->v[i], "unknown") == NULL);
    }
    return buf_detach(&ids);
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static void check_said(const json_t *one, const struct strvec *said, struct buf *all)
{
    char *ids = ids_of(said), *want = json_dumps(json_object_get(one, "says"), 0);
    struct buf quoted = {0};

    for (char *word = ids; *word; word += strspn(word, " ")) {
        size_t length = strcspn(word, " ");

        buf_addf(&quoted, "%s\"%.*s\"", quoted.length ? ", " : "", (int)length, word);
        word += length;
    }
    char *got = xasprintf("[%s]", buf_str(&quoted));
    if (!check_str(got, want))
        check_str(text_of(one, "about"), "");
    buf_addf(all, "%s\n", text_of(one, "about"));
    for (size_t i = 0; i < said->nr; i++)
        buf_addf(all, "    %s\n", said->v[i]);
    free(got);
    free(want);
    free(ids);
    buf_release(&quoted);
}

static void open_side(const json_t *one, const char *side, const char *table_key,
                      struct version *version)
{
    const char *table_name = text_of(one, table_key);
    struct metric_table table;
    char *path =
        xasprintf(FOLDER "%s.json", table_name ? table_name : text_of(one, "table"));

    if (json_object_get(one, side) && metric_table_read(path, &table) == 0) {
        check(version_open(&table, json_object_get(one, side), version));
        metric_table_release(&table);
    }
    free(path);
}

/* "new_table": where both CPUs have tables of their own; without "old": what one version
 * says alone. */
static void judge_case(const json_t *one, struct buf *all)
{
    struct version old = {0}, new = {0};
    struct strvec said = {0};
    struct error err = {0};

    open_side(one, "old", "table", &old);
    open_side(one, "new", "new_table", &new);
    if (check(new.set != NULL) &&
        check_ok(
            metrics_patterns(old.set ? &old.question : NULL, &new.question, &said, &err),
            &err))
        check_said(one, &said, all);
    version_release(&old);
    version_release(&new);
    strvec_release(&said);
}

static void tables_are_judged_as_their_text_does(void)
{
    struct error err = {0};
    struct buf all = {0};
    json_t *root = NULL;
    const json_t *one;
    size_t i;

    if (!check_ok(json_read_file(FOLDER "patterns/cases.json", NULL, &root, &err), &err))
        return;
    json_array_foreach(json_object_get(root, "cases"), i, one) judge_case(one, &all);
    check_golden(FOLDER "patterns/sentences.txt", buf_str(&all));
    buf_release(&all);
    json_decref(root);
}

/* ---- the shipped file ---- */

static void check_names(const char *text, const struct metric_set *set)
{
    struct formula *formula = NULL;
    struct error err = {0};

    if (!check_ok(formula_parse(text, &formula, &err), &err))
        return;
    for (size_t i = 0; i < formula_names(formula)->nr; i++) {
        const char *name = strchr(formula_names(formula)->v[i], '.');
        bool given =
            name && (!strcmp(name, ".line_bytes") || !strcmp(name, ".vector_bits"));

        if (check(name != NULL) && !given && !check(metric_find(set, name + 1) >= 0))
            check_str(name + 1, "a portable metric");
    }
    formula_free(formula);
}

static void check_condition_names(const json_t *list, const struct metric_set *set)
{
    const json_t *one;
    size_t i;

    json_array_foreach(list, i, one) check_names(text_of(one, "formula"), set);
}

/* A pattern on a metric that there is not would never speak. */
static void patterns_name_portable_metrics(void)
{
    struct metric_set *set = NULL;
    struct error err = {0};
    const json_t *pattern, *list;
    json_t *root = NULL;
    size_t i, k, seen = 0;

    check_ok(metric_set_load("skylake-sp", NULL, &set, &err), &err);
    check_ok(json_read_file(INFLIGHT_SOURCE_DIR "/rules/patterns.json",
                            "inflight.patterns/1", &root, &err),
             &err);
    json_array_foreach(json_object_get(root, "patterns"), i, pattern)
    {
        check_condition_names(json_object_get(pattern, "when"), set);
        json_array_foreach(json_object_get(pattern, "lists"), k, list)
            check_condition_names(json_object_get(list, "of"), set);
        seen++;
    }
    check(seen > 20);
    json_decref(root);
    metric_set_free(set);
}

/* ---- noise ---- */

static struct quantity about(double value, double share)
{
    return quantity_between(value, value * (1 - share), value * (1 + share), 5,
                            PROVENANCE_RECORDED);
}

static size_t said_of_times(struct quantity old, struct quantity new, char **first)
{
    struct version version[2] = {0};
    struct strvec said = {0};
    struct error err = {0};

    for (size_t i = 0; i < 2; i++) {
        check_ok(metric_set_load(FOLDER "patterns/printed_skylake-sp.json", NULL,
                                 &version[i].set, &err),
                 &err);
        count_set_add(&version[i].counts, "table::Time", i ? new : old, 1);
        version[i].question =
            (struct metric_question){.set = version[i].set, .counts = &version[i].counts};
    }
    check_ok(metrics_patterns(&version[0].question, &version[1].question, &said, &err),
             &err);
    size_t nr = said.nr;
    *first = xstrdup(nr ? said.v[0] : "");
    for (size_t i = 0; i < 2; i++)
        version_release(&version[i]);
    strvec_release(&said);
    return nr;
}

static void nothing_is_said_beyond_the_noise(void)
{
    char *said = NULL;

    check_eq(said_of_times(about(2, 0.01), about(1, 0.01), &said), 1);
    check_str(said, "Faster, 1 s after 2 s (2 times). Keep it. [time.faster]");
    free(said);
    check_eq(said_of_times(about(2, 0.05), about(1.9, 0.05), &said), 0);
    free(said);
    check_eq(said_of_times(about(1, 0.001), about(1.3, 0.01), &said), 1);
    check(strstr(said, "[time.slower]") != NULL);
    free(said);
    check_eq(said_of_times(quantity_unknown(), about(1, 0.01), &said), 0);
    free(said);
}

/* One run says nothing of the scatter, and what to do waits for more. */
static void single_runs_are_said(void)
{
    char *said = NULL;

    said_of_times(quantity_exact(2, PROVENANCE_RECORDED),
                  quantity_exact(1, PROVENANCE_RECORDED), &said);
    check_str(said, "Faster, 1 s after 2 s (2 times). By one run each; if more of them "
                    "confirm it: Keep it. [time.faster]");
    free(said);
    said_of_times(about(2, 0.01), quantity_exact(1, PROVENANCE_RECORDED), &said);
    check_str(said, "Faster, 1 s after 2 s (2 times). Keep it. [time.faster]");
    free(said);
}

/* ---- damaged files ---- */

#define PATTERN(when, sentence, more)                                                    \
    "{\"schema\": \"inflight.patterns/1\", \"patterns\": [{\"id\": \"a\", \"when\": "    \
    "[" when "], \"sentence\": \"" sentence "\"" more "}]}"
#define REST  ", \"action\": \"b\", \"source\": \"c\""
#define NEVER "{\"formula\": \"ratio.Time\", \"op\": \"<\", \"value\": 0}"

/* Of a pattern that does not fire, too. */
static const struct {
    const char *text, *said;
} damaged[] = {
    {"{", "patterns.json"},
    {"{\"schema\": \"inflight.rules/1\"}", "inflight.patterns/1"},
    {"{\"schema\": \"inflight.patterns/1\"}", "patterns"},
    {PATTERN("", "x", REST), "patterns[0].when: expected at least one condition"},
    {PATTERN(NEVER, "x", ""), "patterns[0].action: is missing"},
    {PATTERN(NEVER, "x", REST ", \"colour\": 1"), "colour"},
    {PATTERN(NEVER, "{old.Time", REST), "lacks a closing brace"},
    {PATTERN(NEVER, "{Time}", REST), "\"Time\": expected old.X, new.X or ratio.X"},
    {PATTERN(NEVER, "{old.Time +}", REST), "patterns[0]: \"old.Time +\""},
    {PATTERN(NEVER, "x", REST ", \"cpus\": \"all\""), "cpus: expected same"},
    {PATTERN("{\"formula\": \"old.Time\", \"op\": \"=\", \"value\": 1}", "x", REST),
     "patterns[0].when[0]: op: expected <, <=, >, >= or in, got \"=\""},
    {PATTERN("{\"formula\": \"old.Time\", \"op\": \"in\", \"value\": [1]}", "x", REST),
     "patterns[0].when[0].value: expected the two ends of a range"},
    {PATTERN(NEVER, "x",
             REST ", \"lists\": [{\"name\": \"l\", \"of\": [{\"formula\": \"old.Time\", "
                  "\"op\": \"<\", \"value\": 0, \"says\": \"{old}\"}]}]"),
     "patterns[0].lists[0].of[0]: \"old\": expected old.X, new.X or ratio.X"},
};

static void damaged_files_are_refused(void)
{
    char *before = xstrdup(getenv("INFLIGHT_DATA")), *dir = NULL;
    struct version version = {0};
    struct strvec said = {0};
    struct error err = {0};

    check_ok(metric_set_load(FOLDER "patterns/printed_skylake-sp.json", NULL,
                             &version.set, &err),
             &err);
    version.question =
        (struct metric_question){.set = version.set, .counts = &version.counts};
    check_ok(scratch_make(&dir, &err), &err);
    char *rules = path_join(dir, "rules"), *path = path_join(rules, "patterns.json");
    check_eq(mkdir(rules, 0700), 0);
    setenv("INFLIGHT_DATA", dir, 1);
    for (size_t i = 0; i < ARRAY_SIZE(damaged); i++) {
        check_ok(file_write(path, damaged[i].text, strlen(damaged[i].text), &err), &err);
        check_fails(metrics_patterns(NULL, &version.question, &said, &err), &err,
                    STATUS_INPUT, damaged[i].said);
    }
    if (before)
        setenv("INFLIGHT_DATA", before, 1);
    else
        unsetenv("INFLIGHT_DATA");
    check_eq(said.nr, 0);
    version_release(&version);
    scratch_remove(dir);
    free(before);
    free(rules);
    free(path);
}

CU_TestInfo metrics_patterns_tests[] = {
    {"tables are judged as their text does", tables_are_judged_as_their_text_does},
    {"patterns name portable metrics", patterns_name_portable_metrics},
    {"nothing is said beyond the noise", nothing_is_said_beyond_the_noise},
    {"single runs are said", single_runs_are_said},
    {"damaged files are refused", damaged_files_are_refused},
    CU_TEST_INFO_NULL,
};
