/* The answer, before anything else: what limits the loop in words for somebody who has
 * never heard of miss queues, what was gained, and what to type next. Each sentence is
 * true of every session, also of one that ended early or gained nothing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/report/report_view.h"
#include "core/occupancy/occupancy.h"

static bool is_advice_only(const struct view *view)
{
    return !strcmp(report_word(view->report, "command"), "advise");
}

/* ---- whose report ---- */

static void add_sizes(const json_t *kernel, struct buf *line)
{
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(kernel, "sizes"), name, value)
        buf_addf(line, ", %s = %.15g", name, json_number_value(value));
    if (json_object_get(kernel, "inputs"))
        buf_addf(line, ", %s", report_word(kernel, "inputs"));
}

/* The title's first `bold` bytes stand out; colours take no columns. */
static void show_title(struct view *view, const char *title, size_t bold)
{
    struct buf wrapped = {0};
    buf_add_wrapped(&wrapped, title, 2, view->layout.width);
    buf_addf(view->layout.out, "%s%.*s%s%s\n", view->layout.colour ? "\033[1m" : "",
             (int)bold, buf_str(&wrapped), view->layout.colour ? "\033[0m" : "",
             buf_str(&wrapped) + bold);
    buf_release(&wrapped);
}

void view_head(struct view *view)
{
    const json_t *kernel = json_object_get(view->report, "kernel"),
                 *machine = json_object_get(view->report, "machine"),
                 *session = json_object_get(view->report, "session");
    struct buf line = {0};
    buf_addf(&line, "%s in %s", report_word(kernel, "function"),
             report_word(kernel, "file"));
    add_sizes(kernel, &line);
    show_title(view, buf_str(&line), strcspn(report_word(kernel, "function"), " \n"));
    buf_reset(&line);
    if (json_integer_value(session))
        buf_addf(&line, "session %lld: ", (long long)json_integer_value(session));
    buf_addf(&line, "%s; %s; %s", report_word(machine, "name"),
             report_word(machine, "load"),
             report_word(json_object_get(view->report, "compiler"), "version"));
    show_title(view, buf_str(&line), 0);
    if (report_has(machine, "note"))
        layout_paragraph(&view->layout, "%s", report_word(machine, "note"));
    if (report_true(view->report, "interrupted"))
        layout_paragraph(&view->layout, "Interrupted: this is what was known by then.");
    buf_release(&line);
}

/* ---- what limits it ---- */

static const char *at_limit(enum resource resource)
{
    switch (resource) {
    case RESOURCE_L1_QUEUE:
        return "the L1 miss queue (waiting for memory)";
    case RESOURCE_L2_QUEUE:
        return "the L2 miss queue (waiting for memory)";
    case RESOURCE_PAGE_WALKERS:
        return "finding out where its data lies (page walks)";
    case RESOURCE_L2_LINK:
        return "how fast the L2 cache delivers";
    case RESOURCE_L3_LINK:
        return "how fast the L3 cache delivers";
    case RESOURCE_MEMORY:
        return "memory bandwidth";
    case RESOURCE_ARITHMETIC:
        return "arithmetic";
    default:
        return "not known";
    }
}

/* By the report's word for why nothing is at its limit. */
static const char *below_limit(const char *why)
{
    static const struct {
        const char *why, *phrase;
    } phrase[] = {
        {"cache", "not memory, its data comes from the caches"},
        {"chains", "each address waits for the load before it"},
        {"window", "too few cache misses are started at a time"},
        {"translation", "finding pages (page walks) delays its misses"},
        {"prefetcher", "data is not fetched far enough ahead"},
        {"compute", "arithmetic"},
        {"branches", "wrongly predicted branches"},
        {"front-end", "fetching its instructions"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(phrase); i++)
        if (!strcmp(phrase[i].why, why))
            return phrase[i].phrase;
    return "not known";
}

static const char *saturation_of(const json_t *baseline, const char *resource)
{
    const json_t *queue;
    size_t i;
    json_array_foreach(json_object_get(baseline, "queues"), i, queue)
        if (!strcmp(report_word(queue, "resource"), resource))
            return report_word(queue, "fullness");
    return "";
}

/* Found from the instructions, and how sure that is; NULL = it was not. */
static char *cause_title(const json_t *cause)
{
    enum cause found = cause_from_word(report_word(cause, "cause"));

    if (found == CAUSE_UNKNOWN || found == CAUSE_NR || !*report_word(cause, "sentence"))
        return NULL;
    return xasprintf("What limits the loop: %s (%s confidence)", cause_phrase(found),
                     report_word(cause, "confidence"));
}

char *report_limit_title(const json_t *report)
{
    char *found = cause_title(json_object_get(report, "cause"));
    const char *word = report_word(report, "limiter");
    enum resource resource = resource_from_word(word);
    const char *full = saturation_of(json_object_get(report, "baseline"), word);
    if (found)
        return found;
    if (!report_has(report, "limiter_sentence"))
        return xstrdup("What limits the loop");
    if (resource == RESOURCE_NONE || resource == RESOURCE_NR)
        return xasprintf("What limits the loop: %s",
                         below_limit(report_word(report, "why")));
    return xasprintf("What %slimits the loop: %s",
                     !strcmp(full, "full")       ? ""
                     : !strcmp(full, "not full") ? "nearly "
                                                 : "probably ",
                     at_limit(resource));
}

/* Said once, behind the first sentences that use the words. */
static void explain_words(struct view *view)
{
    double bytes = report_figure(json_object_get(view->report, "machine"), "line_bytes");
    struct buf both = {0};
    buf_addf(&both, "%s %s", report_word(view->report, "limiter_sentence"),
             report_word(view->report, "why_sentence"));
    if (strstr(buf_str(&both), "miss") || strstr(buf_str(&both), "MSHR"))
        layout_paragraph(
            &view->layout,
            "(A miss is an access whose data is not in the core's cache. Each "
            "holds a place in a short queue, an MSHR, until its cache line%s "
            "has come; that queue, not only bandwidth, bounds how much can be "
            "on its way at a time.)",
            bytes == 64 ? " of 64 bytes" : "");
    buf_release(&both);
}

void view_limit(struct view *view)
{
    const json_t *baseline = json_object_get(view->report, "baseline");
    char *title = report_limit_title(view->report);
    layout_heading(&view->layout, title);
    free(title);
    if (report_has(view->report, "limiter_sentence")) {
        layout_paragraph(&view->layout, "%s %s",
                         report_word(view->report, "limiter_sentence"),
                         report_word(view->report, "why_sentence"));
        explain_words(view);
        return;
    }
    layout_paragraph(&view->layout,
                     report_quantity(baseline, "time_ns")
                         ? "Not known: how much the kernel moves was not found out."
                         : "Not known: the kernel was not measured to the end.");
}

/* ---- what was gained ---- */

static const char *best_plan(const struct view *view)
{
    return report_word(json_object_get(view->report, "best"), "plan");
}

static void add_claim(const json_t *gain, struct buf *line)
{
    struct quantity ratio = report_value(gain);
    buf_add_ratio_value(line, ratio);
    buf_add(line, " as fast");
    if (ratio.low == ratio.high)
        return;
    buf_add(line, " (95 % interval ");
    buf_add_ratio_range(line, ratio);
    buf_addf(line, ")%s",
             report_is_noise(ratio.low, ratio.high) ? ", not beyond the noise" : "");
    add_report_disturbed(line, report_figure(gain, "disturbed"));
}

static void gain_line(struct view *view, const char *label, const json_t *gain,
                      const char *more)
{
    struct buf line = {0};
    if (report_is_believed(gain))
        add_claim(gain, &line);
    else
        add_report_doubt(&line, report_figure(gain, "disturbed"));
    buf_addf(&line, "%s", more);
    layout_line(&view->layout, label, "%s", buf_str(&line));
    buf_release(&line);
}

/* Nothing was compared behind it. */
static bool is_by_search(const json_t *report)
{
    const json_t *source = report_quantity(report, "source_gain");
    return !report_quantity(report, "emitted_gain") &&
           json_equal(source, report_quantity(report, "session_gain"));
}

static void show_source(struct view *view)
{
    const json_t *source = report_quantity(view->report, "source_gain"),
                 *file = report_quantity(view->report, "emitted_gain");
    if (!*best_plan(view) && source && !report_is_believed(source)) {
        gain_line(view, "source", source, "");
        return;
    }
    if (!*best_plan(view)) {
        layout_line(&view->layout, "source", "%s",
                    report_true(view->report, "interrupted")
                        ? "nothing by then: no faster plan was found before the end"
                        : "nothing: no plan was faster beyond the noise, so the code "
                          "stays as it is");
        return;
    }
    if (source)
        gain_line(view, "source", source,
                  file && json_equal(file, source) ? ", measured from its own file"
                  : is_by_search(view->report)     ? ", measured in the search"
                                                   : "");
    else
        layout_line(&view->layout, "source", "%s",
                    "faster beyond the noise when it was found; its last measurement did "
                    "not come about");
    if (file && !json_equal(file, source))
        gain_line(view, "the written file", file, "");
    if (report_search_decides(view->report))
        gain_line(view, "in the search", report_quantity(view->report, "session_gain"),
                  ", all its comparisons together");
    layout_line(&view->layout, "by the plan", "%s", best_plan(view));
}

static void show_around(struct view *view)
{
    const json_t *pages = report_quantity(view->report, "environment_gain"),
                 *total = report_quantity(view->report, "total_gain");
    if (pages)
        gain_line(view, "huge pages alone", pages,
                  "; not in the file: the caller's to allocate");
    else
        layout_line(&view->layout, "huge pages", "not tried");
    if (*best_plan(view) && total)
        gain_line(view, "all together", total, "");
}

static void show_output(struct view *view)
{
    const json_t *best = json_object_get(view->report, "best");
    if (report_has(view->report, "output"))
        layout_line(&view->layout, "written to", "%s%s",
                    report_word(view->report, "output"),
                    *best_plan(view) ? "" : ", the kernel as written");
    if (!*best_plan(view) ||
        !(report_true(best, "verified") || report_true(view->report, "emitted_verified")))
        return;
    const char *sizes = report_word(best, "verified_sizes");
    bool any_left_out = strstr(sizes, " left out: ");
    layout_line(&view->layout, "results",
                (view->evidence || any_left_out) && *sizes
                    ? "equal those of the original for %s"
                    : "equal those of the original at all sizes tried",
                sizes);
}

void view_gained(struct view *view)
{
    layout_heading(&view->layout, "What was gained");
    if (is_advice_only(view)) {
        layout_paragraph(&view->layout,
                         "Nothing was tried: 'inflight advise' measures the "
                         "loop as it is, and judges from that.");
        return;
    }
    show_source(view);
    view_in_app_answer(view);
    show_around(view);
    view_environments(view);
    show_output(view);
}

/* ---- what to type next ---- */

/* One command, to be pasted into a shell: broken between words only. */
static void show_command(struct view *view, const struct strvec *words)
{
    struct buf *out = view->layout.out;
    size_t column = 4;
    buf_add(out, "    ");
    for (size_t i = 0; i < words->nr; i++) {
        struct buf word = {0};
        buf_add_shell_word(&word, words->v[i]);
        if (i && column + 1 + word.length + 2 > view->layout.width) {
            buf_add(out, " \\\n        ");
            column = 8;
        } else if (i) {
            buf_add(out, " ");
            column++;
        }
        buf_add(out, buf_str(&word));
        column += word.length;
        buf_release(&word);
    }
    buf_add(out, "\n");
}

static void next(struct view *view, const char *sentence, const char *const *word)
{
    struct strvec words = {0};
    layout_paragraph(&view->layout, "%s", sentence);
    for (size_t i = 0; word && word[i]; i++)
        strvec_push(&words, word[i]);
    if (words.nr)
        show_command(view, &words);
    strvec_release(&words);
}

static bool has_budget_ended(const struct view *view)
{
    return strstr(report_word(view->report, "stop"), "budget") != NULL;
}

/* "gather.c:12" */
static char *kernel_place(const struct view *view)
{
    const json_t *kernel = json_object_get(view->report, "kernel");
    double line = report_figure(kernel, "line");
    return line > 0 ? xasprintf("%s:%.0f", report_word(kernel, "file"), line)
                    : xstrdup(report_word(kernel, "file"));
}

/* "gather_tuned.c", "gather_tuned.cpp", in the folder one is in. */
static char *tuned_name(const struct view *view)
{
    const char *file = path_base(
                   report_word(json_object_get(view->report, "kernel"), "file")),
               *dot = strrchr(file, '.');
    return xasprintf("%.*s_tuned%s", (int)(dot ? (size_t)(dot - file) : strlen(file)),
                     file, dot ? dot : ".c");
}

/* Not so with --patch, which writes a difference. */
static bool is_source(const char *path)
{
    static const char *const endings[] = {".c", ".cc", ".cpp", ".cxx", ".C"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < ARRAY_SIZE(endings); i++)
        if (!strcmp(dot, endings[i]))
            return true;
    return false;
}

static void next_of_tune(struct view *view, const char *place, const char *tuned)
{
    const char *file = report_word(json_object_get(view->report, "kernel"), "file"),
               *plan = best_plan(view), *output = report_word(view->report, "output");
    const char *const diff[] = {"diff", "-u", file, output, NULL},
                      *const show[] = {"cat", output, NULL},
                      *const apply[] = {"inflight", "apply", place, "--plan",
                                        plan,       "-o",    tuned, NULL},
                      *const longer[] = {"inflight", "tune", place,
                                         "--budget", "10m",  NULL},
                      *const audit[] = {"inflight", "tune", place, "--audit", NULL};
    if (*plan && *output)
        next(view, "To see what was changed:", is_source(output) ? diff : show);
    else if (*plan)
        next(view, "To write this version (with the options that you gave here):", apply);
    else if (has_budget_ended(view))
        next(view,
             "The budget ended before everything was tried. With your options and more "
             "time:",
             longer);
    else
        next(view,
             "To see that what the rules left out would gain nothing either (with the "
             "options that you gave here):",
             audit);
}

static void next_evidence(struct view *view)
{
    long long session = json_integer_value(json_object_get(view->report, "session"));
    char *number = xasprintf("%lld", session);
    const char *const evidence[] = {"inflight",
                                    "report",
                                    number,
                                    "--evidence",
                                    view->database ? "--database" : NULL,
                                    view->database,
                                    NULL};
    if (!view->evidence && session > 0 && !report_true(view->report, "interrupted"))
        next(view, "The figures, plans and rules behind all this:", evidence);
    free(number);
}

void view_next(struct view *view)
{
    char *place = kernel_place(view), *tuned = tuned_name(view);
    const char *const tune[] = {"inflight", "tune", place, "-o", tuned, NULL};
    layout_heading(&view->layout, "Next");
    if (report_true(view->report, "interrupted"))
        next(view,
             "The same command goes on where this ended (--fresh begins anew, "
             "--evidence adds the figures).",
             NULL);
    else if (is_advice_only(view))
        next(view, "To try the advice (with the options that you gave here):", tune);
    else
        next_of_tune(view, place, tuned);
    next_evidence(view);
    free(tuned);
    free(place);
}
