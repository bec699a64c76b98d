/* The report where editors and forges look: SARIF 2.1.0 (OASIS), and lines in the form of
 * a compiler's. Both are made from the same notes, each with the line that it is about.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/report/report.h"
#include "advisor/report/report_verdict.h"
#include "advisor/report/report_view.h"
#include "core/base.h"
#include "core/base/text.h"

struct note {
    char *rule, *text;
    const char *about; /* of the rule: what its notes are, one sentence */
    const char *level; /* of SARIF: warning where there is something to be done */
    int line;          /* 0 = the file as a whole */
};
struct notes {
    struct note *item;
    size_t nr, alloc;
};

static void add_note(struct notes *notes, struct note note)
{
    GROW(notes->item, notes->nr + 1, notes->alloc);
    notes->item[notes->nr++] = note;
}

static void release(struct notes *notes)
{
    for (size_t i = 0; i < notes->nr; i++) {
        free(notes->item[i].rule);
        free(notes->item[i].text);
    }
    free(notes->item);
}

/* ---- what there is to say ---- */

static int line_of(const json_t *object)
{
    double line = report_figure(object, "line");
    return line > 0 && line < 1e9 ? (int)line : 0;
}

static int kernel_line(const json_t *report)
{
    return line_of(json_object_get(report, "kernel"));
}

/* The access that the time goes to; else the kernel. */
static int loop_line(const json_t *report)
{
    int line = line_of(json_object_get(report, "cause"));
    return line ? line : kernel_line(report);
}

static void note_verdict(const json_t *report, struct notes *notes)
{
    const json_t *verdict = json_object_get(report, "verdict");
    struct buf text = {0};
    buf_addf(&text, "%s: %s (%s confidence%s%s).",
             report_word(json_object_get(report, "kernel"), "function"),
             report_word(verdict, "headline"), report_word(verdict, "confidence"),
             report_has(verdict, "confidence_reason") ? ": " : "",
             report_word(verdict, "confidence_reason"));
    if (report_has(verdict, "noise"))
        buf_addf(&text, " %s", report_word(verdict, "noise"));
    add_note(notes, (struct note){.rule = xstrdup("verdict"),
                                  .text = buf_detach(&text),
                                  .about = "What came of tuning the kernel.",
                                  .level = "note",
                                  .line = kernel_line(report)});
}

static void note_limit(const json_t *report, struct notes *notes)
{
    const json_t *verdict = json_object_get(report, "verdict");
    if (!report_has(verdict, "why"))
        return;
    const char *cause = report_word(json_object_get(report, "cause"), "cause");
    add_note(notes,
             (struct note){.rule = xasprintf("limit.%s", *cause ? cause : "unknown"),
                           .text = xstrdup(report_word(verdict, "why")),
                           .about = "What limits the speed of the loop.",
                           .level = "warning",
                           .line = loop_line(report)});
}

static void note_advice(const json_t *report, const json_t *advice, struct notes *notes)
{
    const char *class = report_word(advice, "verdict_text"),
               *name = report_word(advice, "transformation"),
               *rule = report_word(advice, "rule");
    bool gained = !strcmp(class, "gained");
    struct buf text = {0};
    if (!gained && !report_is_untried(advice))
        return;
    buf_addf(&text, "%s %s: ",
             gained                    ? "Gained by"
             : !strcmp(class, "allow") ? "Allow"
                                       : "Try",
             report_has(advice, "plan") ? report_word(advice, "plan") : name);
    if (gained) {
        add_report_gain(&text, report_quantity(advice, "gain"), "");
    } else {
        add_report_expected(&text, advice);
        buf_addf(&text, " expected (%s confidence)", report_word(advice, "confidence"));
    }
    buf_addf(&text, ". %s", report_word(advice, "reason"));
    add_note(notes, (struct note){.rule = xstrdup(*rule ? rule : name),
                                  .text = buf_detach(&text),
                                  .about = "An optimization that can pay.",
                                  .level = "note",
                                  .line = loop_line(report)});
}

static struct notes find_notes(const json_t *report)
{
    struct notes notes = {0};
    const json_t *advice;
    size_t i;
    note_verdict(report, &notes);
    note_limit(report, &notes);
    json_array_foreach(json_object_get(report, "advice"), i, advice)
        note_advice(report, advice, &notes);
    return notes;
}

/* ---- SARIF ---- */

/* A URI reference; relative where the path is, so that a forge finds it in its checkout.
 */
static char *uri_of(const char *path)
{
    struct buf out = {0};
    buf_add(&out, *path == '/' ? "file://" : "");
    for (const unsigned char *c = (const unsigned char *)path; *c; c++)
        if ((*c >= '0' && *c <= '9') || ((*c | 32) >= 'a' && (*c | 32) <= 'z') ||
            strchr("/-_.~", *c))
            buf_add_n(&out, (const char *)c, 1);
        else
            buf_addf(&out, "%%%02X", *c);
    return buf_detach(&out);
}

static size_t rule_index(const json_t *rules, const char *id)
{
    const json_t *rule;
    size_t i;
    json_array_foreach(rules, i, rule)
        if (!strcmp(report_word(rule, "id"), id))
            return i;
    return i;
}

static json_t *location(const char *uri, int line)
{
    json_t *place = json_pack("{s:{s:s}}", "artifactLocation", "uri", uri);
    if (line)
        json_object_set_new(place, "region", json_pack("{s:i}", "startLine", line));
    return json_pack("[{s:o}]", "physicalLocation", place);
}

static void add_result(const struct note *note, const char *uri, json_t *rules,
                       json_t *results)
{
    size_t index = rule_index(rules, note->rule);
    if (index == json_array_size(rules))
        json_array_append_new(rules, json_pack("{s:s, s:{s:s}}", "id", note->rule,
                                               "shortDescription", "text", note->about));
    json_array_append_new(results,
                          json_pack("{s:s, s:I, s:s, s:{s:o}, s:o}", "ruleId", note->rule,
                                    "ruleIndex", (json_int_t)index, "level", note->level,
                                    "message", "text", text_json(note->text), "locations",
                                    location(uri, note->line)));
}

json_t *report_sarif(const json_t *report)
{
    struct notes notes = find_notes(report);
    char *uri = uri_of(report_word(json_object_get(report, "kernel"), "file"));
    json_t *rules = json_array(), *results = json_array();
    for (size_t i = 0; i < notes.nr; i++)
        add_result(&notes.item[i], uri, rules, results);
    json_t *document =
        json_pack("{s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:o}]}", "version", "2.1.0", "runs",
                  "tool", "driver", "name", "inflight", "version",
                  report_word(report, "version"), "rules", rules, "results", results);
    free(uri);
    release(&notes);
    return document;
}

int report_sarif_write(const json_t *report, const char *path, struct error *err)
{
    json_t *document = report_sarif(report);
    char *text = json_text(document);
    int status = file_write(path, text, strlen(text), err);
    free(text);
    json_decref(document);
    return status;
}

/* ---- lines as a compiler's ---- */

void report_diagnostics(const json_t *report, struct buf *out)
{
    const char *file = report_word(json_object_get(report, "kernel"), "file");
    struct notes notes = find_notes(report);
    struct buf source = {0};
    bool is_read = file_read(file, &source, NULL) == 0;
    for (size_t i = 0; i < notes.nr; i++) {
        const struct note *note = &notes.item[i];
        int line = note->line ? note->line : 1;
        const char *code = text_line(is_read ? buf_str(&source) : NULL, line);
        buf_addf(out, "%s:%d:%zu: %s: ", file, line, code ? strspn(code, " \t") + 1 : 1,
                 note->level);
        for (const char *c = note->text; *c; c++)
            buf_add_n(out, *c == '\n' ? " " : c, 1);
        buf_addf(out, " [inflight %s]\n", note->rule);
    }
    buf_release(&source);
    release(&notes);
}
