/* The page: what it reads from the document before it writes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/html/html_parts.h"

/* ---- why ---- */

/* The page: why a variant won or lost, from what the document says of it. */

static void add_times(struct buf *out, double ratio)
{
    buf_addf(out, ratio < 1.095 ? "%.2f" : "%.1f", ratio);
}

/* What went wrong; the reason behind it where there is one. */
static void add_failure(const struct html *page, const struct html_variant *variant,
                        struct buf *out)
{
    static const struct {
        enum run_outcome outcome;
        const char *phrase;
    } known[] = {
        {RUN_OUTCOME_WRONG_RESULT,
         "Lost: its results are not those of the kernel as written"},
        {RUN_OUTCOME_NOT_BUILT, "Lost: it could not be built"},
        {RUN_OUTCOME_CRASHED, "Lost: it crashed"},
        {RUN_OUTCOME_TIMED_OUT, "Lost: it ran into the time limit"},
        {RUN_OUTCOME_INTERRUPTED, "Not measured to the end: interrupted"},
        {RUN_OUTCOME_STOPPED, "Lost: given up because it is slow"},
    };
    const struct measurement *measurement = &variant->measurement;
    const char *phrase = NULL;
    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        if (known[i].outcome == measurement->outcome)
            phrase = known[i].phrase;
    buf_addf(out, "%s%s", phrase ? phrase : "Lost: ",
             phrase ? "" : run_outcome_word(measurement->outcome));
    if (measurement->outcome == RUN_OUTCOME_STOPPED && measurement->at_least_s > 0) {
        buf_add(out, ", a call takes longer than ");
        buf_add_time(out, measurement->at_least_s);
        if (html_ran(&page->variant[0])) {
            buf_add(out, ", as written it takes ");
            buf_add_time(out, page->variant[0].measurement.time_s.value);
        }
    } else if (measurement->detail && *measurement->detail) {
        buf_addf(out, " (%s)", measurement->detail);
    }
    buf_add(out, ".");
}

static const json_t *tie_of(const struct html *page, const char *plan)
{
    const json_t *ties = json_object_get(page->report, "ties"), *tie;
    size_t i;
    json_array_foreach(json_object_get(ties, "compared"), i, tie) {
        if (!strcmp(report_word(tie, "plan"), plan))
            return tie;
    }
    return NULL;
}

/* Timed in turn with the one that the search ended with. */
static void add_tie(const json_t *tie, const char *rival, struct buf *out)
{
    struct quantity ratio = doc_quantity(tie, "time_ratio");
    if (!ratio.known || !(ratio.value > 0)) {
        buf_addf(out, "It could not be compared with %s to the end.", rival);
        return;
    }
    if (report_true(tie, "tied"))
        buf_addf(out, "Timed in turn with %s it cannot be told apart", rival);
    else {
        buf_addf(out, "Timed in turn with %s it takes ", rival);
        add_times(out, 1 / ratio.value);
        buf_add(out, " times as long");
    }
    struct buf range = {0};
    add_range_text(&range, ratio, 1);
    buf_addf(out, " (speed %.2fx%s%s).", ratio.value, range.length ? ", " : "",
             buf_str(&range));
    buf_release(&range);
}

static void add_winner(const struct html *page, const struct html_variant *variant,
                       struct buf *out)
{
    const json_t *ties = json_object_get(page->report, "ties");
    const char *fastest = report_word(ties, "winner");
    buf_add(out, "Won: ");
    struct quantity gain = doc_quantity(page->report, "source_gain");
    if (gain.doubted) {
        add_report_doubt(out, gain.disturbed);
        buf_add(out, ". Its results are equal.");
    } else {
        add_gain_text(out, gain.known ? gain : variant->gain);
        buf_add(out, " as fast as written, beyond the noise, with equal results.");
    }
    if (*fastest && strcmp(fastest, variant->measurement.plan))
        buf_addf(out,
                 " It is the smallest change of those that cannot be told apart from the "
                 "fastest found, %s.",
                 fastest);
}

/* Faster than as written, beside the winner. */
static void add_behind(struct quantity best, struct quantity gain, bool tied,
                       struct buf *out)
{
    buf_add(out, "Faster than as written");
    if (best.known && gain.high < best.low) {
        buf_add(out, ", but it takes ");
        add_times(out, best.value / gain.value);
        buf_add(out, " times as long as the winner.");
    } else {
        buf_add(out,
                tied ? "."
                     : "; by these times alone it cannot be told apart from the winner.");
    }
}

/* By the times alone; `tied`: more is said of it and the winner. */
static void add_comparison(const struct html *page, const struct html_variant *variant,
                           bool tied, struct buf *out)
{
    struct quantity gain = variant->gain;
    if (!gain.known) {
        buf_add(out, "No time to compare with.");
    } else if (gain.high < 1) {
        buf_add(out, "Lost: it takes ");
        add_times(out, 1 / gain.value);
        buf_add(out, " times as long as the kernel as written.");
    } else if (gain.low <= 1) {
        buf_add(out, "Lost: no difference from the kernel as written beyond the noise.");
    } else if (page->best) {
        add_behind(page->variant[page->best].gain, gain, tied, out);
    } else {
        buf_add(out, "Faster than as written by its own time, but not beyond the noise "
                     "when timed in turn.");
    }
}

/* What the advice that it was tried for says of it. */
static void add_advice(const struct html *page, const char *plan, struct buf *out)
{
    const json_t *advice;
    size_t i;
    json_array_foreach(json_object_get(page->report, "advice"), i, advice) {
        if (!*plan || strcmp(report_word(advice, "tried_plan"), plan) ||
            !report_has(advice, "outcome"))
            continue;
        buf_addf(out, " Tried for %s: %s.", report_word(advice, "transformation"),
                 report_word(advice, "outcome"));
        return;
    }
}

static void add_ran(const struct html *page, size_t i, struct buf *out)
{
    const struct html_variant *variant = &page->variant[i];
    const char *plan = variant->measurement.plan,
               *winner = report_word(json_object_get(page->report, "ties"), "winner");
    const json_t *tie = tie_of(page, plan);
    if (i == page->best) {
        add_winner(page, variant, out);
        return;
    }
    if (*variant->around) {
        buf_add(out, "Not another source but another environment, reported apart. ");
        add_comparison(page, variant, false, out);
        return;
    }
    add_comparison(page, variant, tie != NULL, out);
    if (tie) {
        bool is_best =
            page->best && !strcmp(page->variant[page->best].measurement.plan, winner);
        buf_add(out, " ");
        add_tie(tie, is_best ? "the winner" : winner, out);
    } else if (*winner && !strcmp(winner, plan) && page->best) {
        buf_add(out, " The fastest found; the winner is a smaller change that cannot be "
                     "told apart from it.");
    }
    add_advice(page, plan, out);
}

/* html_why.c: why it won or lost. Caller frees. */
static char *html_why(const struct html *page, size_t i)
{
    const struct html_variant *variant = &page->variant[i];
    const char *limit =
        report_word(json_object_get(variant->json, "analysis"), "limiter_sentence");
    struct buf out = {0};
    if (i == 0 && html_ran(variant))
        buf_add(&out, "The kernel as written: all others are compared with it.");
    else if (!html_ran(variant))
        add_failure(page, variant, &out);
    else
        add_ran(page, i, &out);
    if (*limit)
        buf_addf(&out, " %s", limit);
    return buf_detach(&out);
}

/* ---- html variants ---- */

bool html_ran(const struct html_variant *variant)
{
    const struct measurement *measurement = &variant->measurement;
    return measurement->outcome == RUN_OUTCOME_OK && measurement->time_s.known;
}

char *html_name(const struct html_variant *variant)
{
    struct candidate candidate = {variant->measurement.plan,
                                  variant->measurement.environment};
    return candidate_text(&candidate);
}

static void read_variant(struct html *page, const json_t *json)
{
    struct json_at at = json_top("report", json);
    struct html_variant variant = {.json = json, .gain = quantity_unknown()};
    if (!json_is_object(json) || measurement_from_json(&at, &variant.measurement, NULL)) {
        page->unread_nr++;
        return;
    }
    const json_t *analysis = json_object_get(json, "analysis");
    variant.gbs = doc_quantity(analysis, "bandwidth_gbs");
    variant.latency_ns = doc_quantity(analysis, "latency_ns");
    variant.around = environment_phrase(&variant.measurement.environment);
    page->variant[page->variant_nr++] = variant;
}

/* Ends of both intervals against each other: wider than what was timed in turn. */
static void find_gains(struct html *page)
{
    if (page->variant_nr == 0 || !html_ran(&page->variant[0]))
        return;
    struct quantity written = page->variant[0].measurement.time_s;
    for (size_t i = 0; i < page->variant_nr; i++)
        if (html_ran(&page->variant[i]))
            page->variant[i].gain =
                i ? quantity_divide(written, page->variant[i].measurement.time_s)
                  : quantity_exact(1, PROVENANCE_CLOCK);
}

static void read_variants(struct html *page)
{
    const json_t *list = json_object_get(page->report, "variants"), *one;
    size_t i, nr = json_array_size(list);
    double searched = report_figure(page->report, "searched");
    page->variant = xcalloc(nr + 1, sizeof(*page->variant));
    json_array_foreach(list, i, one) {
        read_variant(page, one);
        if (page->variant_nr && searched > 0)
            page->variant[page->variant_nr - 1].closing = (double)i >= searched;
    }
    find_gains(page);
}

static void find_best(struct html *page)
{
    const json_t *best = json_object_get(page->report, "best");
    struct json_at at = json_top("report", best);
    struct measurement wanted = {0};
    if (!json_is_object(best) || measurement_from_json(&at, &wanted, NULL))
        return;
    for (size_t i = 1; i < page->variant_nr && !page->best; i++)
        if (!strcmp(page->variant[i].measurement.plan, wanted.plan) &&
            environments_equal(&page->variant[i].measurement.environment,
                               &wanted.environment))
            page->best = i;
    measurement_release(&wanted);
}

/* All numbers with a point are floats, as far as the arrays tell. */
static bool is_single(const json_t *kernel)
{
    const json_t *array;
    size_t i, floats = 0;
    json_array_foreach(json_object_get(kernel, "arrays"), i, array) {
        if (strstr(report_word(array, "type"), "double"))
            return false;
        floats += strstr(report_word(array, "type"), "float") != NULL;
    }
    return floats > 0;
}

static void read_machine(struct html *page)
{
    const json_t *profile = json_object_get(page->report, "profile");
    struct json_at at = json_top("report", profile);
    double copies = report_figure(json_object_get(page->report, "machine"), "copies");
    page->has_machine =
        json_is_object(profile) && machine_from_json(&at, &page->machine, NULL) == 0;
    page->copies = copies >= 1 && copies < 1e6 ? (int)copies : 1;
}

void html_read(struct html *page, const json_t *report, struct buf *out)
{
    *page = (struct html){.report = report, .out = out};
    read_variants(page);
    find_best(page);
    read_machine(page);
    page->single_precision = is_single(json_object_get(report, "kernel"));
    for (size_t i = 0; i < page->variant_nr; i++)
        page->variant[i].why = html_why(page, i);
}

void html_release(struct html *page)
{
    for (size_t i = 0; i < page->variant_nr; i++) {
        measurement_release(&page->variant[i].measurement);
        free(page->variant[i].around);
        free(page->variant[i].why);
    }
    free(page->variant);
    if (page->has_machine)
        machine_release(&page->machine);
}
