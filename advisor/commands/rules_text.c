#include "advisor/commands/rules_text.h"

#include <string.h>

#include "advisor/report/report_read.h"

enum { WIDTH = 79 };

static void add_paragraph(struct buf *out, const char *text, size_t indent)
{
    buf_add_repeat(out, ' ', indent);
    buf_add_wrapped(out, text, indent, WIDTH);
    buf_add(out, "\n");
}

static void add_transformations(const json_t *rule, struct buf *out)
{
    const json_t *list = json_object_get(rule, "transformation");
    for (size_t i = 0; i < json_array_size(list); i++)
        buf_addf(out, "%s%s", i ? ", " : "", json_string_value(json_array_get(list, i)));
}

void rules_say_table(const json_t *rules, struct buf *out)
{
    size_t nr = json_array_size(rules);
    buf_addf(out, "%-30s %-7s %6s  %s\n", "rule", "verdict", "weight", "transformation");
    for (size_t i = 0; i < nr; i++) {
        const json_t *rule = json_array_get(rules, i);
        buf_addf(out, "%-30s %-7s %6lld  ", report_word(rule, "id"),
                 report_word(rule, "verdict"),
                 (long long)json_integer_value(json_object_get(rule, "weight")));
        add_transformations(rule, out);
        buf_add(out, "\n");
    }
    buf_addf(out,
             "\n%zu rule%s. For each transformation the first whose conditions all "
             "hold decides;\n'inflight rules ID' explains one.\n",
             nr, nr == 1 ? "" : "s");
}

static void say_items(const json_t *rule, const char *key, const char *title,
                      struct buf *out)
{
    const json_t *list = json_object_get(rule, key);
    if (!json_array_size(list))
        return;
    buf_addf(out, "  %s\n", title);
    for (size_t i = 0; i < json_array_size(list); i++)
        add_paragraph(out, json_string_value(json_array_get(list, i)), 4);
}

static void say_line(const char *title, const char *text, struct buf *out)
{
    buf_addf(out, "  %s\n", title);
    add_paragraph(out, text, 4);
}

static void say_rule(const json_t *rule, struct buf *out)
{
    buf_addf(out, "%s: %s ", report_word(rule, "id"), report_word(rule, "verdict"));
    add_transformations(rule, out);
    buf_addf(out, ", weight %lld\n",
             (long long)json_integer_value(json_object_get(rule, "weight")));
    say_items(rule, "conditions", "when all of these hold", out);
    say_line("it says", report_word(rule, "sentence"), out);
    say_items(rule, "changes", "what it leaves of a resource's work (others: all of it)",
              out);
    say_line("bound on the speed-up", report_word(rule, "bound"), out);
    say_line("source", report_word(rule, "source"), out);
}

void rules_say_one_by_one(const json_t *rules, struct buf *out)
{
    for (size_t i = 0; i < json_array_size(rules); i++) {
        buf_add(out, i ? "\n" : "");
        say_rule(json_array_get(rules, i), out);
    }
}

void rules_say_metrics(const json_t *metrics, struct buf *out)
{
    for (size_t i = 0; i < json_array_size(metrics); i++) {
        const json_t *metric = json_array_get(metrics, i),
                     *words = json_object_get(metric, "words");
        struct buf meaning = {0};
        buf_add(&meaning, report_word(metric, "meaning"));
        for (size_t k = 0; k < json_array_size(words); k++)
            buf_addf(&meaning, "%s%s", k ? ", " : " = ",
                     json_string_value(json_array_get(words, k)));
        buf_addf(out, "%-26s %-9s ", report_word(metric, "metric"),
                 report_word(metric, "unit"));
        buf_add_wrapped(out, buf_str(&meaning), 37, WIDTH);
        buf_add(out, "\n");
        buf_release(&meaning);
    }
    buf_add(out, "\nA share is 0 to 1. A condition on an unknown value does not hold.\n");
}

void rules_say_transformations(const json_t *transformations, struct buf *out)
{
    for (size_t i = 0; i < json_array_size(transformations); i++) {
        const json_t *one = json_array_get(transformations, i);
        buf_addf(out, "%-19s ", report_word(one, "transformation"));
        buf_add(out, report_word(one, "meaning"));
        if (!json_is_true(json_object_get(one, "in_plan")))
            buf_add(out, " (advice: no step of a plan)");
        buf_add(out, "\n");
    }
}

static void say_bound(const json_t *verdict, struct buf *out)
{
    const json_t *value =
        json_object_get(json_object_get(verdict, "bound_speedup"), "value");
    if (value)
        buf_addf(out, ", at most %.3gx", json_number_value(value));
}

void rules_say_verdicts(const json_t *verdicts, struct buf *out)
{
    for (size_t i = 0; i < json_array_size(verdicts); i++) {
        const json_t *verdict = json_array_get(verdicts, i);
        bool undecided = json_is_true(json_object_get(verdict, "undecided"));
        buf_addf(out, "%-6s %-18s %s", report_word(verdict, "verdict"),
                 report_word(verdict, "transformation"), report_word(verdict, "rule"));
        say_bound(verdict, out);
        buf_add(out, undecided ? ", undecided\n" : "\n");
        add_paragraph(out, report_word(verdict, "reason"), 7);
    }
    if (!json_array_size(verdicts))
        buf_add(out, "No rule has an opinion.\n");
}

static void say_disagreement(const char *name, const json_t *expected, struct buf *out)
{
    buf_addf(out, "%s: %s: expected %s, got %s", name,
             report_word(expected, "transformation"), report_word(expected, "want"),
             report_word(expected, "got"));
    if (*report_word(expected, "rule"))
        buf_addf(out, " by %s", report_word(expected, "rule"));
    buf_add(out, "\n");
    if (*report_word(expected, "reason"))
        add_paragraph(out, report_word(expected, "reason"), 4);
}

void rules_say_result(const json_t *result, struct buf *out)
{
    const json_t *cases = json_object_get(result, "cases");
    long long all = json_integer_value(json_object_get(result, "expectations")),
              off = json_integer_value(json_object_get(result, "disagreements"));
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *one = json_array_get(cases, i),
                     *list = json_object_get(one, "expected");
        for (size_t k = 0; k < json_array_size(list); k++)
            if (!json_is_true(json_object_get(json_array_get(list, k), "agrees")))
                say_disagreement(report_word(one, "name"), json_array_get(list, k), out);
    }
    buf_addf(out, "%zu case%s, %lld of %lld verdicts as expected\n",
             json_array_size(cases), json_array_size(cases) == 1 ? "" : "s", all - off,
             all);
}
