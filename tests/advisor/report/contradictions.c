#include "tests/advisor/report/contradictions.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/report/report_read.h"
#include "advisor/report/report_verdict.h"
#include "core/base/text.h"
#include "rules/rules.h"
#include "search/session/session.h"

/* Documents keep ten digits and more. */
static const double rounding = 1e-6;

static double value_of(const json_t *object, const char *key)
{
    return report_figure(report_quantity(object, key), "value");
}

static bool is_word(const json_t *object, const char *key, const char *word)
{
    return !strcmp(report_word(object, key), word);
}

static bool is_gain(const json_t *gain)
{
    return gain && report_is_believed(gain) && report_figure(gain, "low") > 1 &&
           report_figure(gain, "value") >= SESSION_MIN_GAIN;
}

static const char *best_plan(const json_t *report)
{
    return report_word(json_object_get(report, "best"), "plan");
}

/* ---- figures ---- */

/* Counts, times, rates, shares and ratios: nothing here can be below 0. */
static void check_quantity(const json_t *object, const char *name, struct strvec *out)
{
    struct quantity figure = report_value(object);

    if (figure.value < 0 || (isfinite(figure.low) && figure.low < 0))
        strvec_pushf(out, "figure: %s is negative (%g, from %g)", name, figure.value,
                     figure.low);
    if (figure.low > figure.value * (1 + rounding) ||
        figure.high < figure.value * (1 - rounding))
        strvec_pushf(out, "figure: %s is %g, and lies between %g and %g", name,
                     figure.value, figure.low, figure.high);
}

static void check_figures(const json_t *node, const char *name, struct strvec *out)
{
    const char *key;
    json_t *child;
    size_t i;

    if (json_is_object(node) && json_is_number(json_object_get(node, "value")))
        check_quantity(node, name, out);
    json_object_foreach((json_t *)(uintptr_t)node, key, child) /* NOLINT */
        check_figures(child, key, out);
    json_array_foreach(node, i, child)
        check_figures(child, name, out);
}

/* ---- what limits it ---- */

static const json_t *queue_of(const json_t *queues, const char *resource)
{
    const json_t *queue;
    size_t i;

    json_array_foreach(queues, i, queue)
        if (is_word(queue, "resource", resource))
            return queue;
    return NULL;
}

/* Of page walks and of arithmetic a cause may be the latency, or one of many units. */
static bool says_full(const char *cause)
{
    return strcmp(cause, "page_walks") && strcmp(cause, "arithmetic");
}

static void check_use(const json_t *queues, const char *resource, const char *as,
                      struct strvec *out)
{
    const json_t *queue = queue_of(queues, resource);

    if (queue && is_word(queue, "fullness", "impossible"))
        strvec_pushf(out, "doubted: %s, whose use cannot be, is the %s", resource, as);
}

/* A cause and a resource that is full have one word. */
static void check_cause(const json_t *cause, const json_t *queues, struct strvec *out)
{
    const char *word = report_word(cause, "cause");
    const json_t *queue = queue_of(queues, word);

    if (says_full(word))
        check_use(queues, word, "cause", out);
    if (queue && says_full(word) && is_word(queue, "fullness", "not full") &&
        !strstr(report_word(cause, "sentence"), "part of the time"))
        strvec_pushf(out, "full: the cause is a full %s, of which %.0f %% are in use",
                     word, 100 * value_of(queue, "utilization"));
    if (queue && says_full(word) && is_word(queue, "fullness", "not full") &&
        report_figure(cause, "share") >
            report_figure(report_quantity(queue, "utilization"), "high") + rounding)
        strvec_pushf(out, "full: %s takes %.2f of the time, and is used less", word,
                     report_figure(cause, "share"));
}

/* What was measured to be full is the cause, or why so many lines come. */
static void check_busiest(const json_t *analysis, const json_t *queues,
                          struct strvec *out)
{
    const char *busiest = report_word(analysis, "busiest"),
               *cause = report_word(json_object_get(analysis, "cause"), "cause");
    const json_t *full = queue_of(queues, busiest);

    check_use(queues, busiest, "busiest", out);
    if (full && is_word(full, "fullness", "full") && strcmp(busiest, cause) &&
        strcmp(cause, "strided"))
        strvec_pushf(out, "full: %s is full, and the cause is %s", busiest, cause);
}

static void check_least(const json_t *queues, const json_t *time, double unit_s,
                        struct strvec *out)
{
    const json_t *queue;
    size_t i;

    json_array_foreach(queues, i, queue)
        if (value_of(queue, "least_s") >
            report_figure(time, "high") * unit_s * (1 + rounding))
            strvec_pushf(out, "least: %s needs %g s of a call of %g s",
                         report_word(queue, "resource"), value_of(queue, "least_s"),
                         report_figure(time, "median") * unit_s);
}

static void check_share(const json_t *queue, struct strvec *out)
{
    if (!is_word(queue, "fullness", "impossible") &&
        value_of(queue, "utilization") > 1 + rounding)
        strvec_pushf(out, "share: %s is used by %.2f", report_word(queue, "resource"),
                     value_of(queue, "utilization"));
}

static void check_occupancy(const json_t *analysis, struct strvec *out)
{
    const json_t *queues = json_object_get(analysis, "resources"), *queue;
    size_t i;

    check_cause(json_object_get(analysis, "cause"), queues, out);
    check_busiest(analysis, queues, out);
    json_array_foreach(queues, i, queue)
        check_share(queue, out);
}

static void check_measurements(const json_t *report, struct strvec *out)
{
    const json_t *variant;
    size_t i;

    json_array_foreach(json_object_get(report, "variants"), i, variant) {
        const json_t *analysis = json_object_get(variant, "analysis");
        if (!json_is_object(analysis))
            continue;
        check_occupancy(analysis, out);
        check_least(json_object_get(analysis, "resources"),
                    json_object_get(variant, "time_ns"), 1e-9, out);
    }
}

/* ---- one word for each plan and each transformation ---- */

static const json_t *variant_of(const json_t *report, const char *plan)
{
    const json_t *list = json_object_get(report, "variants"), *variant,
                 *around = json_object_get(json_array_get(list, 0), "environment");
    size_t i;

    json_array_foreach(list, i, variant)
        if (is_word(variant, "plan", plan) &&
            json_equal(json_object_get(variant, "environment"), around))
            return variant;
    return NULL;
}

static bool is_pruned(const json_t *report, const char *plan)
{
    const json_t *pruned;
    size_t i;

    json_array_foreach(json_object_get(report, "pruned"), i, pruned)
        if (is_word(pruned, "plan", plan))
            return true;
    return false;
}

static bool has_step(const char *plan, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = plan; (at = strstr(at, name)); at += length)
        if ((at == plan || at[-1] == ' ') && (!at[length] || strchr("( ", at[length])))
            return true;
    return false;
}

static void check_once(const json_t *report, const json_t *advice, size_t place,
                       struct strvec *out)
{
    const json_t *list = json_object_get(report, "advice");
    const char *name = report_word(advice, "transformation");

    for (size_t i = 0; i < place; i++)
        if (is_word(json_array_get(list, i), "transformation", name))
            strvec_pushf(out, "twice: %s is advised on twice", name);
    if (report_is_untried(advice) && is_pruned(report, name))
        strvec_pushf(out, "twice: %s is to be tried and was discarded", name);
    if (report_has(advice, "plan") && report_is_untried(advice) &&
        is_pruned(report, report_word(advice, "plan")))
        strvec_pushf(out, "twice: %s is to be tried and was refused",
                     report_word(advice, "plan"));
}

/* What says that something does not help here. */
static bool is_against(const json_t *advice)
{
    static const char *const words[] = {"no gain", "slower", "no use", "not recommended",
                                        "not possible"};

    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (is_word(advice, "verdict_text", words[i]))
            return true;
    return false;
}

static bool says_no_gain(const json_t *advice)
{
    static const char *const words[] = {"slower", "no gain", "no faster", "gone"};

    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (strstr(report_word(advice, "outcome"), words[i]))
            return true;
    return false;
}

static void check_kept(const json_t *report, const json_t *advice, struct strvec *out)
{
    const char *name = report_word(advice, "transformation"), *best = best_plan(report);
    const json_t *gain = report_quantity(advice, "gain");
    bool vectors = !strcmp(name, "simd") && has_step(best, "vec");

    if ((has_step(best, name) || vectors) &&
        (is_against(advice) || report_is_untried(advice)))
        strvec_pushf(out, "kept: %s is in the plan that was kept (%s), and is '%s'", name,
                     best, report_word(advice, "verdict_text"));
    if (*best && is_word(advice, "tried_plan", best) &&
        !is_word(advice, "verdict_text", "gained"))
        strvec_pushf(out, "kept: %s gave the plan that was kept, and is '%s'", name,
                     report_word(advice, "verdict_text"));
    if (is_word(advice, "verdict_text", "gained") && !is_gain(gain) &&
        !has_step(best, name) && !vectors && !is_word(advice, "plan", best))
        strvec_pushf(out, "kept: %s is said to gain %g (from %g)", name,
                     report_figure(gain, "value"), report_figure(gain, "low"));
    if (is_against(advice) && text_begins(report_word(advice, "outcome"), "kept"))
        strvec_pushf(out, "kept: %s is '%s', and was %s", name,
                     report_word(advice, "verdict_text"), report_word(advice, "outcome"));
    if (is_word(advice, "verdict_text", "gained") && says_no_gain(advice))
        strvec_pushf(out, "kept: %s gained, and was %s", name,
                     report_word(advice, "outcome"));
    if (is_word(advice, "verdict_text", "slower") && !(report_figure(gain, "high") < 1))
        strvec_pushf(out, "kept: %s is said to be slower by %g", name,
                     report_figure(gain, "value"));
}

static void check_tried(const json_t *report, const json_t *advice, struct strvec *out)
{
    const char *plan = report_word(advice, "plan");

    if (!report_is_untried(advice))
        return;
    if (report_has(advice, "tried_plan") || report_quantity(advice, "gain"))
        strvec_pushf(out, "tried: %s is to be tried, and was",
                     report_word(advice, "transformation"));
    if (*plan && variant_of(report, plan))
        strvec_pushf(out, "tried: %s is to be tried, and was", plan);
    if (strstr(report_word(advice, "outcome"), "measured before"))
        strvec_pushf(out, "tried: %s is to be tried: %s",
                     report_word(advice, "transformation"),
                     report_word(advice, "outcome"));
}

/* The certificate speaks of plans that compute the same on the same data. */
static bool is_certified(const json_t *advice)
{
    const struct rule_transformation *row =
        transformation_find(report_word(advice, "transformation"));

    return row && row->in_plan && !is_word(advice, "verdict", "allow");
}

/* What a plan is to be better than. */
static double to_beat(const json_t *report, const json_t *advice)
{
    const json_t *over = report_plan_gain(report, report_word(advice, "over")),
                 *kept = report_gain(report);
    double beats = over ? fmax(report_figure(over, "value"), 1) : 1;

    return kept && is_certified(advice) ? fmax(beats, report_figure(kept, "value"))
                                        : beats;
}

static void check_expected(const json_t *report, const json_t *advice, struct strvec *out)
{
    const char *name = report_word(advice, "transformation");
    double expected = value_of(advice, "expected"), most = value_of(advice, "most"),
           gain = value_of(advice, "gain"), beats = to_beat(report, advice);

    if (report_is_untried(advice) && !(expected >= 1.005 * beats))
        strvec_pushf(out, "expected: try %s for %.3fx, where there is %.3fx", name,
                     expected, beats);
    if (expected > most * (1 + rounding))
        strvec_pushf(out, "bound: %s is expected to give %.3fx, at most %.3fx", name,
                     expected, most);
    if (gain > most * (1 + rounding))
        strvec_pushf(out, "bound: %s gave %.3fx, at most %.3fx", name, gain, most);
    if (is_word(advice, "verdict_text", "no use") && is_word(advice, "verdict", "try") &&
        most > 1.02 * beats)
        strvec_pushf(out, "expected: %s is of no use, and may give %.2fx", name, most);
}

/* Of numbers alone. */
static void check_numbers(const json_t *report, struct strvec *out)
{
    const json_t *advice;
    size_t i;

    json_array_foreach(json_object_get(report, "advice"), i, advice)
        if (is_word(advice, "verdict", "try") && value_of(advice, "bound_speedup") < 1.02)
            strvec_pushf(out, "expected: try %s, for at most %.2fx",
                         report_word(advice, "transformation"),
                         value_of(advice, "bound_speedup"));
}

/* ---- all of it together ---- */

static const json_t *any_untried(const json_t *report)
{
    const json_t *advice;
    size_t i;

    json_array_foreach(json_object_get(report, "advice"), i, advice)
        if (report_is_untried(advice))
            return advice;
    return NULL;
}

/* What says that nothing is to be had: the headline, the certificate, the end. */
static void check_nothing(const json_t *report, struct strvec *out)
{
    const json_t *verdict = json_object_get(report, "verdict"),
                 *left = json_object_get(report, "left"), *variant,
                 *untried = any_untried(report);
    const char *name = report_word(untried, "transformation"),
               *headline = report_word(verdict, "headline");
    bool nothing = is_word(verdict, "kind", "nothing"),
         none = strstr(headline, "nothing") || strstr(headline, "no optimization");
    size_t i;

    if (none && *best_plan(report))
        strvec_pushf(out, "nothing: '%s', and %s was kept", headline, best_plan(report));
    if (none && untried && !strstr(headline, name))
        strvec_pushf(out, "nothing: '%s', and %s is to be tried", headline, name);
    if (none && is_gain(report_quantity(report, "environment_gain")))
        strvec_pushf(out, "nothing: '%s', and huge pages gain", headline);
    if (is_word(left, "verdict", "nothing") && untried && is_certified(untried))
        strvec_pushf(out, "nothing: nothing is left, and %s is to be tried for %.2fx",
                     name, value_of(untried, "expected"));
    if (report_true(left, "helpless") && untried)
        strvec_pushf(out, "nothing: nothing helps, and %s is to be tried", name);
    if (report_true(left, "helpless") && *best_plan(report))
        strvec_pushf(out, "nothing: nothing helps, and %s was kept", best_plan(report));
    if (untried && strstr(report_word(report, "stop"), "no rule says"))
        strvec_pushf(out, "nothing: %s, and %s is to be tried",
                     report_word(report, "stop"), name);
    json_array_foreach(json_object_get(report, "variants"), i, variant)
        if (nothing && i && !strstr(headline, "looked") &&
            variant == variant_of(report, report_word(variant, "plan")) &&
            is_gain(report_quantity(variant, "gain")))
            strvec_pushf(out, "nothing: '%s', and %s gave %.2fx", headline,
                         report_word(variant, "plan"), value_of(variant, "gain"));
}

static void check_verdict(const json_t *report, struct strvec *out)
{
    const json_t *verdict = json_object_get(report, "verdict");
    double gain = value_of(verdict, "gain");

    if (is_word(verdict, "kind", "faster") && !(gain >= 1.005))
        strvec_pushf(out, "kept: %s, by %.3f", report_word(verdict, "headline"), gain);
    if (*best_plan(report) && !is_word(verdict, "kind", "faster"))
        strvec_pushf(out, "kept: %s, and %s was kept", report_word(verdict, "headline"),
                     best_plan(report));
}

/* What holds for every plan that computes the same holds for those that ran and for those
 * that are advised. */
static void check_bounds(const json_t *report, struct strvec *out)
{
    const json_t *left = json_object_get(report, "left"), *kept = report_gain(report),
                 *variant, *advice,
                 *around = json_object_get(
                     json_array_get(json_object_get(report, "variants"), 0),
                     "environment");
    double now = kept ? report_figure(kept, "high") : 1,
           min = report_figure(report_quantity(left, "least_work_bound"), "high") * now;
    size_t i;

    json_array_foreach(json_object_get(report, "variants"), i, variant)
        if (json_equal(json_object_get(variant, "environment"), around) &&
            report_figure(report_quantity(variant, "gain"), "low") > min * 1.01)
            strvec_pushf(out, "bound: %s gave %.2fx, at most %.2fx is possible",
                         report_word(variant, "plan"), value_of(variant, "gain"), min);
    json_array_foreach(json_object_get(report, "advice"), i, advice)
        if (report_is_untried(advice) && is_certified(advice) &&
            value_of(advice, "expected") > min * 1.01)
            strvec_pushf(out,
                         "bound: %s is expected to give %.2fx, at most %.2fx is "
                         "possible",
                         report_word(advice, "transformation"),
                         value_of(advice, "expected"), min);
}

/* ---- names ---- */

static bool is_array(const json_t *report, const char *name)
{
    const json_t *array;
    size_t i;

    json_array_foreach(json_object_get(json_object_get(report, "kernel"), "arrays"), i,
                       array)
        if (is_word(array, "name", name))
            return true;
    return false;
}

static bool is_name(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_')
            return false;
    return length > 0;
}

static bool knows(const struct strvec *list, const char *name)
{
    for (size_t i = 0; i < list->nr; i++)
        if (!strcmp(list->v[i], name))
            return true;
    return false;
}

/* What stands between quotes and is one word. */
static void check_names(const json_t *report, const char *sentence,
                        const struct strvec *loops, struct strvec *out)
{
    for (const char *at = sentence; (at = strchr(at, '\'')); at++) {
        const char *end = strchr(at + 1, '\'');
        bool begins = at == sentence || strchr(" (", at[-1]);
        if (!end || !begins || !is_name(at + 1, (size_t)(end - at - 1)))
            continue;
        char *name = xstrndup(at + 1, (size_t)(end - at - 1));
        if (!is_array(report, name) && !knows(loops, name))
            strvec_pushf(out, "name: '%s' is nothing of the loop: %s", name, sentence);
        free(name);
        at = end;
    }
}

static void check_place(const json_t *report, const struct strvec *loops,
                        struct strvec *out)
{
    const json_t *cause = json_object_get(report, "cause"), *advice,
                 *kernel = json_object_get(report, "kernel");
    double line = report_figure(cause, "line");
    size_t i;

    if (!json_is_array(json_object_get(kernel, "arrays")))
        return;
    if (report_has(cause, "array") && !is_array(report, report_word(cause, "array")))
        strvec_pushf(out, "name: '%s' is no array of the loop",
                     report_word(cause, "array"));
    if (line < report_figure(kernel, "line"))
        strvec_pushf(out, "name: line %.0f is before the loop", line);
    if (!loops)
        return;
    check_names(report, report_word(cause, "sentence"), loops, out);
    json_array_foreach(json_object_get(report, "advice"), i, advice)
        check_names(report, report_word(advice, "reason"), loops, out);
}

/* ---- the whole ---- */

void contradictions_of_values(const json_t *report, const struct strvec *loops,
                              struct strvec *out)
{
    const json_t *advice, *analysis = json_object_get(report, "analysis");
    size_t i;

    check_figures(report, "report", out);
    if (json_is_object(analysis))
        check_occupancy(analysis, out);
    check_measurements(report, out);
    check_place(report, loops, out);
    if (!json_is_object(json_object_get(report, "verdict"))) {
        check_numbers(report, out);
        return;
    }
    json_array_foreach(json_object_get(report, "advice"), i, advice) {
        check_once(report, advice, i, out);
        check_kept(report, advice, out);
        check_tried(report, advice, out);
        check_expected(report, advice, out);
    }
    check_nothing(report, out);
    check_verdict(report, out);
    check_bounds(report, out);
}

/* ---- what is printed ---- */

/* The words around a place. */
static char *around(const char *text, const char *at)
{
    size_t before = (size_t)(at - text) < 60 ? (size_t)(at - text) : 60,
           behind = strlen(at) < 40 ? strlen(at) : 40;
    char *part = xstrndup(at - before, before + behind);

    for (char *c = part; *c; c++)
        *c = *c == '\n' ? ' ' : *c;
    return part;
}

static void say_at(const char *kind, const char *text, const char *at, struct strvec *out)
{
    char *part = around(text, at);

    strvec_pushf(out, "%s: \"%s\"", kind, part);
    free(part);
}

/* The number that ends at `at`, spaces before it left out; NAN = there is none. */
static double number_before(const char *text, const char *at)
{
    const char *end = at;

    while (end > text && end[-1] == ' ')
        end--;
    for (at = end; at > text && (isdigit((unsigned char)at[-1]) || at[-1] == '.');)
        at--;
    return at < end ? strtod(at, NULL) : NAN;
}

static bool ends_word(char c)
{
    return !isalnum((unsigned char)c) && c != '_';
}

/* A number with a unit. */
static bool is_measure(const char *at)
{
    static const char *const units[] = {"x",   " %",  "%",   " GB/s",
                                        " ns", " us", " ms", " s"};
    char *end = NULL;

    strtod(at, &end);
    for (size_t i = 0; end > at && i < ARRAY_SIZE(units); i++)
        if (text_begins(end, units[i]) && ends_word(end[strlen(units[i])]))
            return true;
    return false;
}

void contradictions_of_text(const char *text, struct strvec *out)
{
    static const char *const no_number[] = {"nan", "-nan", "inf", "-inf", "nanx", "infx"};

    for (const char *at = text; (at = strchr(at, '%')); at++)
        if (number_before(text, at) > 100.5)
            say_at("share", text, at, out);
    for (size_t i = 0; i < ARRAY_SIZE(no_number); i++)
        for (const char *at = text; (at = strstr(at, no_number[i])); at++)
            if ((at == text || ends_word(at[-1])) && ends_word(at[strlen(no_number[i])]))
                say_at("figure", text, at, out);
    for (const char *at = text; (at = strchr(at, '-')); at++)
        if (at > text && strchr(" (", at[-1]) && is_measure(at))
            say_at("figure", text, at, out);
}
