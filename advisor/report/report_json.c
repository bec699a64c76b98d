#include <stdlib.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "advisor/cli/settings.h"
#include "advisor/report/measure_report.h"
#include "advisor/report/report.h"
#include "advisor/report/report_parts.h"
#include "advisor/report/report_read.h"
#include "advisor/report/report_verdict.h"
#include "advisor/session/context_remote.h"
#include "core/base/text.h"
#include "observe/in_app/in_app_result.h"
#include "search/finish/finish.h"
#include "search/live/live.h"
#include "search/session/advice.h"
#include "search/session/measured.h"
#include "search/session/result.h"
#include "variants/kernel/kernel.h"
#include "variants/kernel/kernel_inputs.h"
#include "variants/kernel/kernel_view.h"

json_t *report_sizes_json(const struct kernel_view *view)
{
    json_t *object = json_object();
    for (size_t i = 0; i < view->param_nr; i++)
        if (view->param[i].is_set)
            json_object_set_new(object, view->param[i].name,
                                view->param[i].is_integer
                                    ? json_integer((json_int_t)view->param[i].value)
                                    : json_real(view->param[i].value));
    return object;
}

json_t *report_kernel_json(const struct kernel *kernel)
{
    struct kernel_view view = kernel_view(kernel);
    struct kernel_counts counts = kernel_counts(kernel);
    json_t *root = json_pack(
        "{s:o, s:s, s:i, s:s, s:o, s:o, s:o, s:o, s:o}", "file",
        text_json(kernel_path(kernel)), "function", kernel_name(kernel), "line",
        kernel_line(kernel), "hash", kernel_hash(kernel), "sizes",
        report_sizes_json(&view), "arrays", kernel_arrays_json(&view), "footprint_bytes",
        json_real(counts.footprint_bytes), "flops", json_quantity(counts.flops),
        "assumptions", json_strings(view.assumption, view.assumption_nr));
    if (kernel_flags_from(kernel)) {
        const struct strvec *flags = kernel_read_flags(kernel);
        json_object_set_new(root, "cflags", json_strvec(flags));
        json_object_set_new(root, "cflags_from", text_json(kernel_flags_from(kernel)));
    }
    if (kernel_inputs_note(kernel))
        json_object_set_new(root, "inputs", text_json(kernel_inputs_note(kernel)));
    return root;
}

json_t *report_machine_json(const struct context *bench)
{
    const struct machine *machine = &bench->machine;
    return json_pack(
        "{s:s, s:s?, s:s?, s:i, s:i, s:s, s:i, s:o, s:o, s:o, s:o, s:b, s:s?}", "name",
        machine->name ? machine->name : "", "microarchitecture",
        machine->microarchitecture, "recognition", machine->recognition, "cores",
        machine->cores, "copies", (int)live_copies(bench->live), "load",
        live_note(bench->live), "line_bytes", machine->line_bytes, "l1_mshrs",
        machine_limit_json(&machine->l1_mshrs), "l2_mshrs",
        machine_limit_json(&machine->l2_mshrs), "memory_latency_ns",
        json_quantity(machine->memory_latency_ns), "node_read_gbs",
        json_quantity(machine->node_read_gbs), "quick_profile", (int)machine->quick,
        "note", bench->machine_note);
}

json_t *report_compiler_json(const struct toolchain *toolchain)
{
    return json_pack("{s:s, s:s, s:o}", "name", toolchain->compiler, "version",
                     toolchain->version, "flags", json_strvec(&toolchain->flags));
}

static json_t *advice_json(const struct search_result *result)
{
    json_t *list = json_array();
    for (size_t i = 0; i < result->advice_nr; i++) {
        const struct advice *advice = &result->advice[i];
        json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:b, s:b, s:b, s:b, s:s, s:s?, s:f, s:s?, s:s?, s:s?, "
                      "s:o, s:o, s:s?, s:s?}",
                      "transformation", advice->transformation, "verdict",
                      verdict_word(advice->verdict), "undecided", (int)advice->undecided,
                      "contradicted", (int)advice->contradicted, "refused",
                      (int)advice->refused, "by_hand", (int)advice->by_hand, "over",
                      result->measurement_nr ? result->measurement[advice->over].plan
                                             : "",
                      "plan", advice->plan, "trust", advice->trust, "rule", advice->rule,
                      "reason", advice->reason, "source", advice->source, "bound_speedup",
                      json_quantity(advice->bound_speedup), "measured_speedup",
                      json_quantity(advice->measured_speedup), "tried_plan",
                      advice->tried_plan, "outcome", advice->outcome));
    }
    return list;
}

/* A rule said so of a plan that was best then, and later another one said otherwise. */
static bool is_advised(const struct search_result *result, const char *name)
{
    for (size_t i = 0; i < result->advice_nr; i++)
        if (!strcmp(result->advice[i].transformation, name))
            return result->advice[i].verdict == VERDICT_TRY ||
                   result->advice[i].verdict == VERDICT_ALLOW;
    return false;
}

static json_t *pruned_json(const struct search_result *result)
{
    json_t *list = json_array();
    for (size_t i = 0; i < result->pruned_nr; i++)
        if (!is_advised(result, result->pruned[i].plan))
            json_array_append_new(list, json_pack("{s:s, s:s?, s:o}", "plan",
                                                  result->pruned[i].plan, "rule",
                                                  result->pruned[i].rule, "reason",
                                                  text_json(result->pruned[i].reason)));
    return list;
}

static json_t *environments_json(const struct search_result *result)
{
    json_t *list = json_array();
    for (size_t i = 0; i < result->environment_nr; i++) {
        const struct tried_environment *tried = &result->environment[i];
        char *around = environment_phrase(&tried->environment),
             *before = environment_phrase(&tried->before);
        json_array_append_new(
            list,
            json_pack("{s:o, s:o, s:o, s:o, s:b, s:o}", "environment", text_json(around),
                      "over", text_json(before), "plan", text_json(tried->plan), "gain",
                      json_quantity(tried->gain), "kept", (int)tried->kept, "outcome",
                      text_json(tried->outcome)));
        free(around);
        free(before);
    }
    return list;
}

static json_t *variants_json(const struct search_result *result)
{
    json_t *list = json_array();
    for (size_t i = 0; i < result->measurement_nr; i++) {
        json_t *variant = measurement_to_json(&result->measurement[i]);
        if (result->gain)
            json_object_set_new(variant, "gain", json_quantity(result->gain[i]));
        json_array_append_new(list, variant);
    }
    return list;
}

/* Those compared at the end with the winner of the search. */
static json_t *ties_json(const struct search_result *result)
{
    json_t *list = json_array();
    for (size_t i = 0; i < result->tie_nr; i++) {
        const struct tie *tie = &result->tie[i];
        json_array_append_new(list, json_pack("{s:s, s:o, s:b, s:b}", "plan",
                                              result->measurement[tie->index].plan,
                                              "time_ratio", json_quantity(tie->ratio),
                                              "tied", (int)tie->tied, "written",
                                              (int)(tie->index == result->best)));
    }
    return json_pack("{s:s, s:b, s:o}", "winner",
                     result->measurement[result->tie_winner].plan, "written",
                     (int)(result->tie_winner == result->best), "compared", list);
}

static json_t *time_json(const struct account_times *time)
{
    json_t *object = json_pack("{s:f, s:f}", "wall_s", account_total_s(time),
                               "overhead_share", account_overhead_share(time));
    for (int i = 0; i < ACCOUNT_NR; i++)
        json_object_set_new(object, account_key((enum account)i),
                            json_real(time->seconds[i]));
    return object;
}

static void add_diagnosis(json_t *root, const struct measurement *baseline)
{
    const struct occupancy *occupancy = &baseline->occupancy;
    bool known = baseline->has_occupancy;
    json_object_set_new(root, "cause",
                        known ? diagnosis_to_json(&occupancy->diagnosis) : json_null());
    json_object_set_new(root, "slack",
                        known ? json_quantity(occupancy->slack) : json_null());
}

static const char *limit_word(enum resource resource, bool chains)
{
    return chains ? "chains" : resource_word(resource);
}

static json_t *headroom_json(const struct search_result *result)
{
    const struct search_headroom *left = &result->left;
    const struct occupancy_headroom *bound = &left->bound;
    return json_pack("{s:o, s:s, s:s, s:o, s:s, s:b, s:I, s:o, s:o}", "bound",
                     json_quantity(result->headroom_bound), "resource",
                     limit_word(result->headroom_resource, bound->same_by_chains),
                     "verdict", headroom_word(left->verdict), "least_work_bound",
                     json_quantity(bound->min), "least_work_resource",
                     limit_word(bound->min_by, bound->min_by_chains), "helpless",
                     (int)left->helpless, "tries", (json_int_t)left->tries, "reason",
                     text_json(left->reason), "sentence", text_json(left->sentence));
}

static json_t *audited_json(const struct search_audit *audit)
{
    json_t *list = json_array();
    for (size_t i = 0; i < audit->nr; i++) {
        const struct audited *item = &audit->item[i];
        json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:o, s:o, s:b}", "transformation", item->transformation,
                      "rule", item->rule, "plan", text_json(item->plan), "gain",
                      json_quantity(item->gain), "wrong", (int)item->wrong));
    }
    return list;
}

static json_t *audit_json(const struct search_audit *audit)
{
    char *sentence = audit_text(audit);
    json_t *object = json_pack(
        "{s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "measured", (json_int_t)audit->measured_nr,
        "without_plan", (json_int_t)audit->no_plan_nr, "unreached",
        (json_int_t)audit->unreached_nr, "wrong", (json_int_t)audit->wrong_nr, "cost",
        json_quantity(audit->cost), "pruned", audited_json(audit), "sentence",
        text_json(sentence));
    free(sentence);
    return object;
}

static void add_results(json_t *root, const struct search_result *result)
{
    json_object_set_new(root, "advice", advice_json(result));
    json_object_set_new(root, "source_gain", json_quantity(result->source_gain));
    if (result->session_gain.known)
        json_object_set_new(root, "session_gain", json_quantity(result->session_gain));
    json_object_set_new(root, "environment_gain",
                        json_quantity(result->environment_gain));
    json_object_set_new(root, "total_gain", json_quantity(result->total_gain));
    if (result->environment_nr)
        json_object_set_new(root, "environments", environments_json(result));
    if (result->tie_winner)
        json_object_set_new(root, "ties", ties_json(result));
    json_object_set_new(root, "left", headroom_json(result));
    if (result->audit.nr || result->audit.unreached_nr)
        json_object_set_new(root, "audit", audit_json(&result->audit));
    json_object_set_new(root, "searched", json_integer((json_int_t)result->searched_nr));
    json_object_set_new(root, "stop", text_json(result->stop));
    json_object_set_new(root, "used_up", json_boolean(result->used_up));
    json_object_set_new(root, "interrupted", json_boolean(result->interrupted));
    json_object_set_new(root, "seconds", json_real(result->seconds));
    json_object_set_new(root, "space_size",
                        result->space_size < 0 ? json_null()
                                               : json_real(result->space_size));
    json_object_set_new(root, "pruned", pruned_json(result));
    json_object_set_new(root, "variants", variants_json(result));
}

/* The line of the access that the time goes to, as it stood in the file. */
static void add_limit_line(json_t *root)
{
    double line = report_figure(json_object_get(root, "cause"), "line");
    const char *path = report_word(json_object_get(root, "kernel"), "file");
    struct buf source = {0};
    if (!(line > 0) || file_read(path, &source, NULL))
        return;
    const char *text = text_line(buf_str(&source), (int)line);
    if (text) {
        text += strspn(text, " \t");
        char *copy = xasprintf("%.*s", (int)strcspn(text, "\r\n"), text);
        json_object_set_new(root, "limit_line", text_json(copy));
        free(copy);
    }
    buf_release(&source);
}

static void add_command_line(json_t *root, const struct context *bench)
{
    const struct settings *settings = bench->settings;
    json_t *words = context_remote_words(bench);
    if (!words)
        words = json_strings((const char *const *)settings->given,
                             (size_t)settings->given_nr);
    json_object_set_new(root, "command_line", words);
    if (settings->database)
        json_object_set_new(root, "database", text_json(settings->database));
}

json_t *report_json(const struct report_input *input)
{
    const struct context *bench = input->bench;
    const struct search_result *result = input->result;
    char *date = date_now();
    json_t *root = json_pack(
        "{s:s, s:s, s:s, s:s, s:I, s:o, s:o, s:o}", "schema", "inflight.report/1",
        "version", INFLIGHT_VERSION, "date", date, "command", bench->settings->command,
        "session", (json_int_t)bench->session, "kernel",
        report_kernel_json(bench->kernel), "machine", report_machine_json(bench),
        "compiler", report_compiler_json(&bench->toolchain));
    free(date);
    if (result->measurement_nr) {
        add_diagnosis(root, &result->measurement[0]);
        json_object_set_new(root, "baseline",
                            measurement_to_json(&result->measurement[0]));
        json_object_set_new(root, "best",
                            measurement_to_json(&result->measurement[result->best]));
    }
    add_results(root, result);
    json_t *record = track_json(&bench->track, result),
           *reused = context_reused_json(bench);
    if (record)
        json_object_set_new(root, "record", record);
    if (reused)
        json_object_set_new(root, "reused", reused);
    if (input->in_app && input->in_app->end != IN_APP_NONE)
        json_object_set_new(root, "in_app",
                            in_app_to_json(input->in_app, input->emitted_gain));
    json_t *code = code_diffs_json(&bench->code);
    if (code)
        json_object_set_new(root, "code", code);
    if (bench->facts.set && result->measurement_nr)
        json_object_set_new(
            root, "counted",
            metrics_facts_json(&bench->facts, &result->measurement[0].occupancy));
    json_object_set_new(root, "profile", machine_to_json(&bench->machine));
    json_object_set_new(root, "output", text_json(input->output));
    json_object_set_new(root, "emitted_gain", json_quantity(input->emitted_gain));
    json_object_set_new(root, "emitted_verified", json_boolean(input->emitted_verified));
    json_object_set_new(root, "time", time_json(&input->time));
    json_object_set_new(root, "budget", budget_json(&bench->budget, result));
    add_limit_line(root);
    add_command_line(root, bench);
    json_t *campaign =
        context_remote_json(bench, result->measurement_nr, result->pruned_nr);
    if (campaign)
        json_object_set_new(root, "campaign", campaign);
    if (input->others)
        json_object_set_new(root, "others", json_deep_copy(input->others));
    report_settle(root);
    return root;
}

char *report_comment(const struct context *bench, const char *plan, struct quantity gain,
                     const char *with)
{
    struct buf out = {0};
    char *date = date_now();
    buf_addf(&out,
             "Written by inflight %s from %s, function %s.\nPlan: %s\nMachine: "
             "%s\nCompiler: %s\nDate: %.10s\n",
             INFLIGHT_VERSION, path_base(kernel_path(bench->kernel)),
             kernel_name(bench->kernel), *plan ? plan : "none, as written",
             bench->machine.name, bench->toolchain.version, date);
    if (gain.doubted && *plan)
        buf_add(&out, "Measured gain: not believed, the machine was busy\n");
    else if (gain.known && *plan)
        buf_addf(&out, "Measured gain: %.2fx (95%% interval %.2f to %.2f%s), %s\n",
                 gain.value, gain.low, gain.high,
                 report_is_noise(gain.low, gain.high) ? ", not beyond the noise" : "",
                 *with ? with : "source alone");
    free(date);
    return buf_detach(&out);
}
