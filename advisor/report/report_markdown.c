/* The report as Markdown, short, for the summary of a job on a forge. */
#include <stdlib.h>
#include <string.h>

#include "advisor/report/report.h"
#include "advisor/report/report_verdict.h"
#include "advisor/report/report_view.h"
#include "core/base.h"

/* What the document says is text: nothing in it is a mark. */
static void add_text(struct buf *out, const char *text)
{
    for (; *text; text++)
        if (*text == '\n' || *text == '\r')
            buf_add(out, " ");
        else if (*text == '<')
            buf_add(out, "&lt;");
        else if (*text == '&')
            buf_add(out, "&amp;");
        else if (strchr("\\`*_[]|#~@!", *text))
            buf_addf(out, "\\%c", *text);
        else
            buf_add_n(out, text, 1);
}

/* Between as many backticks as it needs; a bar would end a cell of a table. */
static void add_code(struct buf *out, const char *text)
{
    size_t longest = 0;
    for (const char *c = text; *c; c++) {
        size_t run = strspn(c, "`");
        longest = run > longest ? run : longest;
    }
    buf_add_repeat(out, '`', longest + 1);
    buf_add(out, longest ? " " : "");
    for (; *text; text++)
        if (*text == '|')
            buf_add(out, "\\|");
        else
            buf_add_n(out, *text == '\n' ? " " : text, 1);
    buf_add(out, longest ? " " : "");
    buf_add_repeat(out, '`', longest + 1);
}

static void add_words(struct buf *out, const json_t *words)
{
    const json_t *word;
    size_t i;
    json_array_foreach(words, i, word) {
        buf_add(out, i ? " " : "");
        buf_add_shell_word(out, json_string_value(word));
    }
}

static void add_verdict(const json_t *report, struct buf *out)
{
    const json_t *verdict = json_object_get(report, "verdict"),
                 *kernel = json_object_get(report, "kernel"),
                 *next = json_object_get(verdict, "next");
    buf_add(out, "### ");
    add_text(out, report_word(kernel, "function"));
    buf_add(out, ": ");
    add_text(out, report_word(verdict, "headline"));
    buf_addf(out, "\n\n**%s confidence**", report_word(verdict, "confidence"));
    if (report_has(verdict, "confidence_reason")) {
        buf_add(out, ": ");
        add_text(out, report_word(verdict, "confidence_reason"));
    }
    buf_add(out, ". ");
    add_text(out, report_word(verdict, "why"));
    if (report_has(verdict, "noise")) {
        buf_add(out, "\n\n> ");
        add_text(out, report_word(verdict, "noise"));
    }
    buf_add(out, "\n");
    if (json_array_size(next)) {
        struct buf command = {0};
        add_words(&command, next);
        buf_add(out, "\nNext: ");
        add_code(out, buf_str(&command));
        buf_add(out, "\n");
        buf_release(&command);
    }
}

static void add_row(const json_t *advice, struct buf *out)
{
    const json_t *gain = report_quantity(advice, "gain");
    const char *plan = report_word(advice, "plan");
    struct buf figure = {0};
    if (gain)
        add_report_measured(&figure, advice);
    else if (report_quantity(advice, "expected"))
        add_report_expected(&figure, advice);
    buf_addf(out, "| %s | ", report_word(advice, "verdict_text"));
    add_code(out, *plan ? plan : report_word(advice, "transformation"));
    buf_addf(out, " | %s%s | %s | ", buf_str(&figure),
             !gain && figure.length ? " expected" : "",
             report_word(advice, "confidence"));
    add_text(out, report_word(advice, "reason"));
    buf_add(out, " |\n");
    buf_release(&figure);
}

static void add_advice(const json_t *report, struct buf *out)
{
    const json_t *advice;
    size_t i, nr = 0;
    json_array_foreach(json_object_get(report, "advice"), i, advice) {
        if (!report_quantity(advice, "gain") && !report_is_untried(advice))
            continue;
        if (!nr++)
            buf_add(out,
                    "\n| | plan | gain over the kernel as written | confidence | why "
                    "|\n|---|---|---|---|---|\n");
        add_row(advice, out);
    }
}

void report_markdown(const json_t *report, struct buf *out)
{
    const json_t *kernel = json_object_get(report, "kernel"),
                 *machine = json_object_get(report, "machine");
    add_verdict(report, out);
    add_advice(report, out);
    buf_add(out, "\n");
    add_text(out, report_word(kernel, "file"));
    buf_add(out, ", ");
    add_text(out, report_word(machine, "name"));
    buf_add(out, ", ");
    add_text(out, report_word(machine, "load"));
    buf_add(out, ", ");
    add_text(out, report_word(json_object_get(report, "compiler"), "version"));
    buf_addf(out, ", %.10s, inflight ", report_word(report, "date"));
    add_text(out, report_word(report, "version"));
    buf_add(out, ".\n");
}
