/* inflight show: the model of a kernel, for people and as JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "advisor/program/commands.h"
#include "advisor/report/measure_report.h"
#include "advisor/report/report_read.h"
#include "advisor/session/context.h"
#include "core/base.h"
#include "variants/kernel/kernel.h"
#include "variants/kernel/kernel_inputs.h"
#include "variants/kernel/kernel_view.h"
#include "variants/model/model.h"
#include "variants/plan/plan.h"

/* ---- plans ---- */

/* What each transformation would do on a kernel: its typical plans, each checked. */

/* Of numbers that isl makes, for all plans together: a second or two. One plan is given
 * at most a sixth of what is left, since its check has several steps. */
enum { EFFORT = 2500000, SHARE = 6 };
static const char not_tried[] =
    "not tried: earlier plans of this function used up the work that `show` allows "
    "itself; `inflight apply` with the plan decides";
static const char given_up[] = "it takes more work than `show` allows for one plan; "
                               "`inflight apply` with the plan decides";

/* "plan '...' is not legal: " and the step itself say again what stands beside them. */
static char *without_plan(const char *text, const char *plan)
{
    const char *behind =
        text_begins(text, "plan '") ? strstr(text, "' is not legal: ") : NULL;
    char *step = xasprintf("%s: ", plan);
    text = behind ? behind + strlen("' is not legal: ") : text;
    text = text_behind(text, "the plan is not legal: ");
    const char *again = strstr(text, step);
    char *rest =
        again ? xasprintf("%.*s%s", (int)(again - text), text, again + strlen(step))
              : xstrdup(text);
    free(step);
    return rest;
}

/* "legal", "legal under assumptions", "illegal", "not decided", "not applicable" */
static json_t *verdict_json(const char *verdict, const struct typical_plan *plan,
                            const char *reason)
{
    return json_pack("{s:s, s:s?, s:b, s:s, s:s?, s:[]}", "transformation",
                     plan->transformation, "plan", plan->plan, "legal",
                     !strncmp(verdict, "legal", 5), "verdict", verdict, "reason", reason,
                     "assumptions");
}

static void add_lines(json_t *list, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        if (length)
            json_array_append_new(list, json_stringn(text, length));
        text += length + (text[length] == '\n');
    }
}

static const char *verdict_of(const struct error *why)
{
    if (why->status != STATUS_ILLEGAL)
        return "not applicable";
    return strstr(why->text, ANALYSIS_RAN_OUT) ? "not decided" : "illegal";
}

static json_t *probe(struct kernel *kernel, const struct typical_plan *typical)
{
    struct plan *plan = NULL;
    struct error why = {0};
    struct buf assumptions = {0};
    json_t *result;
    int status = plan_parse(typical->plan, &plan, &why) ||
                 kernel_check(kernel, plan, &assumptions, &why);
    const char *verdict = status ? verdict_of(&why) : NULL;
    if (status) {
        char *reason = without_plan(why.text, typical->plan);
        result = verdict_json(verdict, typical,
                              strcmp(verdict, "not decided") ? reason : given_up);
        free(reason);
    } else {
        result = verdict_json(assumptions.length ? "legal under assumptions" : "legal",
                              typical, NULL);
        add_lines(json_object_get(result, "assumptions"), buf_str(&assumptions));
    }
    plan_free(plan);
    buf_release(&assumptions);
    return result;
}

static json_t *judge(struct kernel *kernel, const struct typical_plan *typical,
                     unsigned long begin)
{
    if (!typical->plan)
        return verdict_json("not applicable", typical, typical->why);
    unsigned long spent = analysis_effort() - begin;
    if (spent >= EFFORT)
        return verdict_json("not decided", typical, not_tried);
    kernel_limit(kernel, (EFFORT - spent) / SHARE + 1);
    return probe(kernel, typical);
}

/* The first plan of each transformation, then the second ones: each has had its turn when
 * the effort is spent. */
static json_t *show_plans_json(struct kernel *kernel, const struct kernel_view *view)
{
    struct typical_plan *plans;
    size_t nr = typical_plans(view, &plans);
    unsigned long begin = analysis_effort();
    json_t **judged = xcalloc(nr + 1, sizeof(*judged)), *list = json_array();
    for (size_t round = 0, left = nr; left; round++)
        for (size_t i = 0, rank = 0; i < nr; i++) {
            bool again =
                i && !strcmp(plans[i].transformation, plans[i - 1].transformation);
            rank = again ? rank + 1 : 0;
            if (rank != round)
                continue;
            judged[i] = judge(kernel, &plans[i], begin);
            left--;
        }
    for (size_t i = 0; i < nr; i++)
        json_array_append_new(list, judged[i]);
    free(judged);
    typical_plans_free(plans, nr);
    return list;
}

/* ---- for people ---- */

/* The number under which the sentence is listed, from 1; a new one is added. */
static size_t number_of(struct strvec *seen, const char *sentence)
{
    for (size_t i = 0; i < seen->nr; i++)
        if (!strcmp(seen->v[i], sentence))
            return i + 1;
    strvec_push(seen, sentence);
    return seen->nr;
}

/* "; rests on [1] [3]", each once. */
static void add_numbers(const json_t *sentences, struct strvec *seen, struct buf *out)
{
    struct buf numbers = {0};
    const json_t *sentence;
    size_t i;
    json_array_foreach(sentences, i, sentence) {
        char *number = xasprintf(" [%zu]", number_of(seen, json_string_value(sentence)));
        if (!strstr(buf_str(&numbers), number))
            buf_add(&numbers, number);
        free(number);
    }
    if (numbers.length)
        buf_addf(out, ", resting on%s", buf_str(&numbers));
    buf_release(&numbers);
}

static void show_one(const json_t *plan, bool first, struct strvec *seen, struct buf *out)
{
    struct buf line = {0};
    const char *verdict = report_word(plan, "verdict"), *text = report_word(plan, "plan");
    buf_addf(out, "  %-11s ", first ? report_word(plan, "transformation") : "");
    if (*text)
        buf_addf(&line, "%s: ", text);
    if (json_is_true(json_object_get(plan, "legal"))) {
        buf_add(&line, "legal");
        add_numbers(json_object_get(plan, "assumptions"), seen, &line);
    } else
        buf_addf(&line, "%s: %s",
                 !strcmp(verdict, "illegal")       ? "not legal"
                 : !strcmp(verdict, "not decided") ? verdict
                                                   : "does not apply",
                 report_word(plan, "reason"));
    buf_add_wrapped(out, buf_str(&line), 16, 79);
    buf_add(out, "\n");
    buf_release(&line);
}

static void say_hidden(size_t shown, size_t hidden, struct buf *out)
{
    struct buf line = {0};
    if (!shown)
        buf_add(&line, "none of the typical plans is legal; ");
    buf_addf(&line,
             "%s%zu %s not legal, not decided or without effect here: --evidence "
             "says why",
             shown ? "" : "all ", hidden, hidden == 1 ? "is" : "are");
    buf_add(out, "  ");
    buf_add_wrapped(out, buf_str(&line), 2, 79);
    buf_add(out, "\n");
    buf_release(&line);
}

/* The same as lines, those that are legal or all; what they rest on is numbered and
 * listed below. */
static void show_plans_text(const json_t *plans, bool all, struct buf *out)
{
    struct strvec seen = {0};
    const char *before = "";
    const json_t *plan;
    size_t i, shown = 0, hidden = 0;
    buf_add(out, "\ntransformations\n");
    json_array_foreach(plans, i, plan) {
        const char *name = report_word(plan, "transformation");
        bool legal = json_is_true(json_object_get(plan, "legal"));
        shown += legal;
        hidden += !legal && !all;
        if (!legal && !all)
            continue;
        show_one(plan, strcmp(name, before) != 0, &seen, out);
        before = name;
    }
    if (hidden)
        say_hidden(shown, hidden, out);
    for (size_t k = 0; k < seen.nr; k++) {
        buf_addf(out, "%s  [%zu] ", k ? "" : "\n", k + 1);
        buf_add_wrapped(out, seen.v[k], 6, 79);
        buf_add(out, "\n");
    }
    strvec_release(&seen);
}

/* ---- cmd show ---- */

static json_t *loops_json(const struct kernel_view *view)
{
    json_t *list = json_array();
    for (size_t i = 0; i < view->loop_nr; i++) {
        const struct kernel_loop *loop = &view->loop[i];
        json_array_append_new(
            list, json_pack("{s:s, s:i, s:i, s:i, s:s?, s:s?, s:I, s:o, s:b, s:b, s:s?}",
                            "name", loop->name, "nest", loop->nest, "depth", loop->level,
                            "line", loop->line, "lower", loop->lower_text, "upper",
                            loop->upper_text, "step", (json_int_t)loop->step, "trips",
                            loop->trips < 0 ? json_null() : json_real(loop->trips),
                            "modelled", (int)loop->modelled, "perfect",
                            (int)loop->perfect, "why", loop->why));
    }
    return list;
}

static json_t *accesses_json(const struct kernel_view *view)
{
    json_t *list = json_array();
    for (size_t i = 0; i < view->access_nr; i++) {
        const struct kernel_access *access = &view->access[i];
        json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:b, s:i, s:s, s:o, s:s?, s:b}", "text", access->text,
                      "array", view->array[access->array].name, "write",
                      (int)access->write, "line", access->line, "class",
                      access_class_word(access->access_class), "stride_bytes",
                      json_number_or_null(access->stride_bytes), "through",
                      access->through < 0 ? NULL : view->array[access->through].name,
                      "update", (int)access->update));
    }
    return list;
}

static json_t *records_json(const struct kernel_view *view)
{
    json_t *list = json_array();
    for (size_t i = 0; i < view->record_nr; i++) {
        const struct kernel_record *record = &view->record[i];
        json_array_append_new(
            list,
            json_pack("{s:s, s:i, s:s, s:I, s:I, s:i}", "array", record->name, "nest",
                      record->nest, "fields", record->fields, "record_bytes",
                      (json_int_t)record->record_bytes, "used_bytes",
                      (json_int_t)record->used_bytes, "line", record->line));
    }
    return list;
}

static json_t *show_json(struct kernel *kernel)
{
    struct kernel_view view = kernel_view(kernel);
    return json_pack("{s:s, s:o, s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                     "schema", "inflight.kernel/1", "file",
                     text_json(kernel_path(kernel)), "function", kernel_name(kernel),
                     "line", kernel_line(kernel), "loops", loops_json(&view), "arrays",
                     kernel_arrays_json(&view), "accesses", accesses_json(&view),
                     "records", records_json(&view), "temporaries",
                     json_strings(view.temporary, view.temporary_nr), "dependences",
                     json_strings(view.dependence, view.dependence_nr), "assumptions",
                     json_strings(view.assumption, view.assumption_nr), "transformations",
                     show_plans_json(kernel, &view));
}

/* ---- for people ---- */

static void show_bounds(const struct kernel_loop *loop, struct buf *out)
{
    buf_addf(out, " from %s %s %s", loop->lower_text,
             loop->step < 0 ? "down to above" : "to below", loop->upper_text);
    if (loop->step > 1 || loop->step < -1)
        buf_addf(out, " in steps of %lld", loop->step < 0 ? -loop->step : loop->step);
}

static void show_loops(const struct kernel_view *view, struct buf *out)
{
    buf_add(out, "\nloops\n");
    for (size_t i = 0; i < view->loop_nr; i++) {
        const struct kernel_loop *loop = &view->loop[i];
        buf_add_repeat(out, ' ', 2 + 2 * (size_t)loop->level);
        buf_addf(out, "%s", loop->name);
        if (loop->lower_text && strcmp(loop->lower_text, "?") != 0)
            show_bounds(loop, out);
        if (loop->trips >= 0) {
            buf_add(out, ", ");
            buf_add_number(out, loop->trips);
            buf_add(out, " times");
        }
        buf_addf(out, " (line %d)\n", loop->line);
        if (loop->modelled)
            continue;
        buf_add_repeat(out, ' ', 4 + 2 * (size_t)loop->level);
        struct buf why = {0};
        buf_addf(&why, "left as it is: %s", loop->why ? loop->why : "not modelled");
        buf_add_wrapped(out, buf_str(&why), 6 + 2 * (size_t)loop->level, 79);
        buf_add(out, "\n");
        buf_release(&why);
    }
}

static void show_arrays(const struct kernel_view *view, struct buf *out)
{
    buf_add(out, "\narrays\n");
    for (size_t i = 0; i < view->array_nr; i++) {
        const struct kernel_array *array = &view->array[i];
        buf_addf(out, "  %-10s %s, %s", array->name, array->element_type,
                 array->extent_text ? array->extent_text : "extent not known");
        if (array->bytes >= 0) {
            buf_add(out, ", ");
            buf_add_size(out, array->bytes);
        }
        buf_addf(out, ", %s%s\n",
                 array->read ? (array->written ? "read and written" : "read") : "written",
                 array->contents ? "" : ", contents by default");
    }
}

static void show_tunables(const struct kernel_view *view, struct buf *out)
{
    if (view->tunable_nr)
        buf_add(out, "\ntunables\n");
    for (size_t i = 0; i < view->tunable_nr; i++) {
        const struct kernel_tunable *tunable = &view->tunable[i];
        buf_addf(out, "  %-10s %lld at line %d; may be", tunable->name, tunable->now,
                 tunable->line);
        for (size_t v = 0; v < tunable->value_nr; v++)
            buf_addf(out, "%s %lld", v ? "," : "", tunable->value[v]);
        buf_add(out, "\n");
    }
    for (size_t i = 0; i < view->constraint_nr; i++)
        buf_addf(out, "  where %s\n", view->constraint[i]);
}

static void show_accesses(const struct kernel_view *view, struct buf *out)
{
    buf_add(out, "\naccesses\n");
    for (size_t i = 0; i < view->access_nr; i++) {
        const struct kernel_access *access = &view->access[i];
        buf_addf(out, "  line %-4d %-5s %-24s %s", access->line,
                 access->write ? "store" : "load", access->text,
                 access_class_word(access->access_class));
        bool regular = access->access_class == ACCESS_STRIDED ||
                       access->access_class == ACCESS_STREAMING;
        if (regular && access->stride_bytes != 0)
            buf_addf(out, ", %.0f bytes apart", fabs(access->stride_bytes));
        if (access->update)
            buf_add(out, ", updated in place");
        if (access->through >= 0)
            buf_addf(out, " through %s", view->array[access->through].name);
        buf_add(out, "\n");
    }
}

static void show_list(const char *title, const char *const *text, size_t nr,
                      struct buf *out)
{
    if (nr == 0)
        return;
    buf_addf(out, "\n%s\n", title);
    for (size_t i = 0; i < nr; i++) {
        buf_add(out, "  ");
        buf_add_wrapped(out, text[i], 4, 79);
        buf_add(out, "\n");
    }
}

static void show_records(const struct kernel_view *view, struct buf *out)
{
    bool first = true;
    for (size_t i = 0; i < view->record_nr; i++) {
        const struct kernel_record *record = &view->record[i];
        struct buf line = {0};
        if (record->used_bytes >= record->record_bytes)
            continue;
        buf_addf(&line, "%s: %zu of the %zu bytes of a structure are used", record->name,
                 record->used_bytes, record->record_bytes);
        if (*record->fields)
            buf_addf(&line, " (%s)", record->fields);
        buf_addf(&line, " in the nest from line %d", record->line);
        buf_add(out, first ? "\narrays of structures\n  " : "  ");
        first = false;
        buf_add_wrapped(out, buf_str(&line), 4, 79);
        buf_add(out, "\n");
        buf_release(&line);
    }
}

/* What was typed needs no saying. */
static void show_flags(const struct kernel *kernel, struct buf *out)
{
    const char *from = kernel_flags_from(kernel);
    struct buf line = {0};
    if (!from || !strcmp(from, FLAGS_OF_COMMAND_LINE))
        return;
    buf_addf(&line, "read with the flags of %s: ", from);
    buf_add_shell_words(&line, (const char *const *)kernel_read_flags(kernel)->v);
    buf_add_wrapped(out, buf_str(&line), 2, 79);
    buf_add(out, "\n");
    buf_release(&line);
}

static void show_text(struct kernel *kernel, bool all, struct buf *out)
{
    struct kernel_view view = kernel_view(kernel);
    json_t *plans = show_plans_json(kernel, &view);
    buf_addf(out, "%s in %s, line %d", kernel_name(kernel), kernel_path(kernel),
             kernel_line(kernel));
    if (kernel_inputs_note(kernel))
        buf_addf(out, ", %s", kernel_inputs_note(kernel));
    buf_add(out, "\n");
    show_flags(kernel, out);
    show_loops(&view, out);
    show_arrays(&view, out);
    show_tunables(&view, out);
    show_accesses(&view, out);
    show_records(&view, out);
    show_list("temporary arrays whose elements could be scalars", view.temporary,
              view.temporary_nr, out);
    show_list("dependences", view.dependence, view.dependence_nr, out);
    show_list("taken for granted", view.assumption, view.assumption_nr, out);
    show_plans_text(plans, all, out);
    json_decref(plans);
}

int show_command(const struct settings *settings, struct error *err)
{
    struct context bench;
    struct buf text = {0};
    context_start(&bench, settings);
    int status = context_kernel(&bench, false, err);
    /* Sizes are nice to have here, not needed. */
    if (!status)
        kernel_bind(bench.kernel, NULL);
    if (!status && settings->json) {
        json_t *document = show_json(bench.kernel);
        status = print_json(document, err);
        json_decref(document);
    } else if (!status) {
        show_text(bench.kernel, settings->evidence, &text);
        struct buf next = {0};
        if (outline_next(settings, &next)) {
            buf_add(&text, "\nnext\n  ");
            buf_add_wrapped(&text, buf_str(&next), 4, 79);
            buf_add(&text, "\n");
        }
        buf_release(&next);
        status = print_text(buf_str(&text), err);
    }
    buf_release(&text);
    context_release(&bench);
    return status;
}
