#include "advisor/exchange/exchanged.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "advisor/cli/layout.h"
#include "advisor/report/report_read.h"
#include "search/records/records.h"
#include "search/session/advice.h"
#include "search/session/measured.h"
#include "search/session/result.h"
#include "search/session/session.h"
#include "search/strategy/strategy.h"

struct replayed_space {
    const struct settings *settings;
    struct dataset *dataset;
    const struct dataset_entry *entry;
    size_t entry_nr;
    struct search_result result;
};

static size_t find_plan(const struct replayed_space *replay, const char *plan)
{
    size_t i = 0;
    while (i < replay->entry_nr && strcmp(replay->entry[i].plan, plan))
        i++;
    return i;
}

/* As recorded; not a number for what is not in the space. */
static double recorded_s(const struct replayed_space *replay, const char *plan)
{
    size_t i = find_plan(replay, plan);
    bool known = i < replay->entry_nr && replay->entry[i].time_s.known;
    return known ? replay->entry[i].time_s.value : NAN;
}

static size_t fastest_entry(const struct replayed_space *replay)
{
    size_t best = 0;
    for (size_t i = 1; i < replay->entry_nr; i++)
        if (replay->entry[i].time_s.known &&
            replay->entry[i].time_s.value < replay->entry[best].time_s.value)
            best = i;
    return best;
}

/* One line for each variant tried: its place, its time against the best of the space. */
static json_t *tries_json(const struct replayed_space *replay)
{
    double best_s = replay->entry[fastest_entry(replay)].time_s.value;
    json_t *list = json_array();
    for (size_t i = 0; i < replay->result.searched_nr; i++) {
        const struct measurement *one = &replay->result.measurement[i];
        double seconds = recorded_s(replay, one->plan);
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:o}", "plan", one->plan, "outcome",
                                        run_outcome_word(one->outcome), "over_best",
                                        json_number_or_null(seconds / best_s)));
    }
    return list;
}

/* Variants tried until one was within 5 % of the best; 0 = none was. */
static size_t tries_until_near(const json_t *tries)
{
    const double near = 1.05;
    size_t i;
    const json_t *one;
    json_array_foreach(tries, i, one) {
        const json_t *over = json_object_get(one, "over_best");
        if (json_is_number(over) && json_number_value(over) <= near)
            return i + 1;
    }
    return 0;
}

static json_t *advice_json(const struct search_result *result)
{
    json_t *list = json_array();
    for (size_t i = 0; i < result->advice_nr; i++) {
        const struct advice *advice = &result->advice[i];
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:s?, s:o, s:o, s:s?}", "transformation",
                            advice->transformation, "verdict",
                            verdict_word(advice->verdict), "rule", advice->rule,
                            "bound_speedup", json_quantity(advice->bound_speedup),
                            "measured_speedup", json_quantity(advice->measured_speedup),
                            "outcome", advice->outcome));
    }
    return list;
}

static json_t *replay_json(const struct replayed_space *replay)
{
    const struct search_result *result = &replay->result;
    size_t fastest = fastest_entry(replay);
    double base_s = replay->entry[0].time_s.value;
    const char *best = result->measurement[result->best].plan;
    json_t *tries = tries_json(replay);
    size_t near = tries_until_near(tries);
    const struct measurement *base = &result->measurement[0];
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:I, s:s, s:f, s:s, s:o, s:o, s:s?, s:o, s:o, s:o}",
        "schema", "inflight.replay/1", "file", replay->settings->replay, "kernel",
        dataset_name(replay->dataset), "strategy",
        replay->settings->strategy ? replay->settings->strategy : "guided", "variants",
        (json_int_t)replay->entry_nr, "best_plan", replay->entry[fastest].plan,
        "best_gain", base_s / replay->entry[fastest].time_s.value, "found_plan", best,
        "found_gain", json_number_or_null(base_s / recorded_s(replay, best)),
        "tries_until_within_5_percent",
        near ? json_integer((json_int_t)near) : json_null(), "stop", result->stop,
        "cause",
        base->has_occupancy ? diagnosis_to_json(&base->occupancy.diagnosis) : json_null(),
        "advice", advice_json(result), "tries", tries);
}

static const char *plan_phrase(const json_t *document, const char *key)
{
    const char *plan = json_string_value(json_object_get(document, key));
    return plan && *plan ? plan : "as written";
}

static void add_tries(struct layout *layout, const json_t *document)
{
    size_t i;
    const json_t *one;
    json_array_foreach(json_object_get(document, "tries"), i, one) {
        const json_t *over = json_object_get(one, "over_best");
        if (json_is_number(over))
            buf_addf(layout->out, "  %4zu  %6.2f  %s\n", i + 1, json_number_value(over),
                     plan_phrase(one, "plan"));
        else
            buf_addf(layout->out, "  %4zu  %6s  %s\n", i + 1, "-",
                     plan_phrase(one, "plan"));
    }
}

static const char *verdict_of(const json_t *one)
{
    const char *word = report_word(one, "verdict");
    for (enum verdict v = VERDICT_TRY; v <= VERDICT_STOP; v++)
        if (!strcmp(verdict_word(v), word))
            return verdict_phrase(v);
    return word;
}

/* "try             simd: at most 1.30x; measured 1.12x (1.10 to 1.14); kept ... [rule]"
 */
static void add_one_advice(struct layout *layout, const json_t *one)
{
    struct buf line = {0};
    buf_addf(&line, "%s: ", report_word(one, "transformation"));
    if (report_quantity(one, "bound_speedup") &&
        !strcmp(report_word(one, "verdict"), "try")) {
        add_report_bound(&line, report_quantity(one, "bound_speedup"));
        buf_add(&line, "; ");
    }
    if (report_quantity(one, "measured_speedup")) {
        buf_add(&line, "measured ");
        add_report_gain(&line, report_quantity(one, "measured_speedup"), "");
        buf_add(&line, "; ");
    }
    buf_addf(&line, "%s%s[%s]", report_word(one, "outcome"),
             report_has(one, "outcome") ? " " : "", report_word(one, "rule"));
    buf_addf(layout->out, "  %-16s", verdict_of(one));
    buf_add_wrapped(layout->out, buf_str(&line), 18, layout->width);
    buf_add(layout->out, "\n");
    buf_release(&line);
}

static void add_advice(struct layout *layout, const json_t *document)
{
    size_t i;
    const json_t *one;
    const json_t *list = json_object_get(document, "advice");
    if (!json_array_size(list))
        return;
    layout_heading(layout, "Advice of the rules");
    json_array_foreach(list, i, one)
        add_one_advice(layout, one);
}

static void add_found(struct layout *layout, const json_t *document)
{
    const json_t *near = json_object_get(document, "tries_until_within_5_percent");
    layout_heading(layout, "What the search found");
    layout_line(layout, "found", "%.2fx as fast, by %s",
                report_figure(document, "found_gain"),
                plan_phrase(document, "found_plan"));
    layout_line(layout, "best there is", "%.2fx as fast, by %s",
                report_figure(document, "best_gain"), plan_phrase(document, "best_plan"));
    if (json_is_integer(near))
        layout_line(layout, "within 5 % of it", "after %lld of %lld variants",
                    json_integer_value(near),
                    json_integer_value(json_object_get(document, "variants")));
    else
        layout_line(layout, "within 5 % of it", "never");
    if (report_has(document, "stop"))
        layout_line(layout, "ended because", "%s", report_word(document, "stop"));
}

static void replay_text(const json_t *document, bool evidence, struct layout *layout)
{
    const json_t *cause = json_object_get(document, "cause");
    buf_addf(layout->out, "%s: the strategy '%s' on %lld recorded variants\n",
             report_word(document, "kernel"), report_word(document, "strategy"),
             json_integer_value(json_object_get(document, "variants")));
    layout_heading(layout, "What limits the loop");
    layout_paragraph(layout, "%s %s",
                     report_has(cause, "sentence")
                         ? report_word(cause, "sentence")
                         : "Not known: the recording does not say what it moves.",
                     report_word(cause, "reason"));
    add_found(layout, document);
    add_advice(layout, document);
    if (!evidence) {
        layout_paragraph(layout, "--evidence lists every variant in the order tried.");
        return;
    }
    layout_heading(layout, "Variants in the order tried; time over that of the best");
    add_tries(layout, document);
}

static int print_replay(const struct replayed_space *replay, struct error *err)
{
    const struct settings *settings = replay->settings;
    json_t *document = replay_json(replay);
    struct buf text = {0};
    struct layout layout =
        layout_on(&text, term_colour(stdout, settings->colour), term_columns(stdout));
    int status = 0;
    if (settings->json) {
        status = print_json(document, err);
    } else {
        replay_text(document, settings->evidence, &layout);
        status = print_text(buf_str(&text), err);
    }
    buf_release(&text);
    json_decref(document);
    return status;
}

/* Nothing takes time, so only variants can be a budget. */
static int search_space(struct replayed_space *replay, struct error *err)
{
    const struct settings *settings = replay->settings;
    struct search_subject subject = dataset_subject(replay->dataset);
    struct search_runner runner = dataset_runner(replay->dataset);
    unsigned long long seed = settings->seed > 0 ? (unsigned long long)settings->seed : 0;
    struct rule_set *rules = NULL;
    const double endless_s = 1e6;
    if (rule_set_load_given(&settings->rules, &rules, err))
        return -1;
    struct search_opts opts = {
        .strategy = settings->strategy,
        .budget_s = endless_s,
        .plans_only = true,
        .budget_variants = settings->variants > 0 ? (size_t)settings->variants : 0,
        .seed = seed,
        .rules = rules};
    dataset_seed(replay->dataset, seed);
    int status = search_run(&subject, &runner, NULL, &opts, &replay->result, err);
    rule_set_free(rules);
    return status;
}

int replay_space(const struct settings *settings, struct error *err)
{
    struct replayed_space replay = {.settings = settings};
    if (settings->file || settings->output || settings->header)
        return fail(err, STATUS_USAGE,
                    "--replay searches a recorded space: it takes no C file and writes "
                    "none; leave out '%s'",
                    settings->file     ? settings->file
                    : settings->output ? settings->output
                                       : settings->header);
    if (dataset_load(settings->replay, &replay.dataset, err))
        return -1;
    replay.entry = dataset_entries(replay.dataset, &replay.entry_nr);
    int status = search_space(&replay, err);
    if (!status)
        status = print_replay(&replay, err);
    search_result_release(&replay.result);
    dataset_free(replay.dataset);
    return status;
}
