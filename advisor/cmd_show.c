/* inflight show: the model of a kernel, for people and as JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/commands.h"
#include "advisor/kernel_json.h"
#include "advisor/workbench.h"

/* Typical plans of each transformation on this kernel, to say whether it is legal and why
 * not. */
static void probe_plans(const struct kernel_view *view, struct strvec *plans)
{
    const struct kernel_loop *inner = NULL;
    struct buf tile = {0}, order = {0};
    for (size_t i = 0; i < view->loop_nr && (!inner || view->loop[i].nest == inner->nest);
         i++) {
        if (!view->loop[i].modelled)
            continue;
        inner = &view->loop[i];
        buf_addf(&tile, "%s%s:32", tile.length ? "," : "tile(", inner->name);
        if (order.length)
            strvec_pushf(plans, "interchange(%s,%s)", inner->name,
                         view->loop[inner->parent].name);
        buf_addf(&order, "%s", inner->name);
        if (i + 1 < view->loop_nr && !inner->innermost)
            strvec_pushf(plans, "unroll_jam(%s:4)", inner->name);
    }
    if (tile.length)
        strvec_pushf(plans, "%s)", buf_str(&tile));
    if (inner)
        strvec_push(plans, "simd");
    for (size_t i = 0; i < view->access_nr; i++)
        if (view->access[i].access_class == ACCESS_INDIRECT)
            strvec_pushf(plans, "prefetch(%s:16)",
                         view->array[view->access[i].array].name);
    buf_release(&tile);
    buf_release(&order);
}

static bool already(const struct strvec *plans, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (!strcmp(plans->v[i], plans->v[j]))
            return true;
    return false;
}

static json_t *plans_json(struct kernel *kernel, const struct kernel_view *view)
{
    struct strvec plans = {0};
    json_t *list = json_array();
    probe_plans(view, &plans);
    for (size_t i = 0; i < plans.nr; i++) {
        struct plan *plan = NULL;
        struct error why = {0};
        struct buf assumptions = {0};
        if (already(&plans, i) || plan_parse(plans.v[i], &plan, NULL))
            continue;
        int status = kernel_check(kernel, plan, &assumptions, &why);
        json_array_append_new(list, json_pack("{s:s, s:b, s:s?, s:s}", "plan", plans.v[i],
                                              "legal", status == 0, "reason",
                                              status ? why.text : NULL, "assumptions",
                                              buf_str(&assumptions)));
        plan_free(plan);
        buf_release(&assumptions);
    }
    strvec_release(&plans);
    return list;
}

static json_t *loops_json(const struct kernel_view *view)
{
    json_t *list = json_array();
    for (size_t i = 0; i < view->loop_nr; i++) {
        const struct kernel_loop *loop = &view->loop[i];
        json_array_append_new(
            list,
            json_pack("{s:s, s:i, s:i, s:i, s:s?, s:s?, s:o, s:b}", "name", loop->name,
                      "nest", loop->nest, "depth", loop->depth, "line", loop->line,
                      "lower", loop->lower_text, "upper", loop->upper_text, "trips",
                      loop->trips < 0 ? json_null() : json_real(loop->trips), "modelled",
                      (int)loop->modelled));
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
            json_pack("{s:s, s:s, s:b, s:i, s:s, s:o, s:s?}", "text", access->text,
                      "array", view->array[access->array].name, "write",
                      (int)access->write, "line", access->line, "class",
                      access_class_word(access->access_class), "stride_bytes",
                      json_number_or_null(access->stride_bytes), "through",
                      access->through < 0 ? NULL : view->array[access->through].name));
    }
    return list;
}

static json_t *show_json(struct kernel *kernel)
{
    struct kernel_view view = kernel_view(kernel);
    return json_pack("{s:s, s:o, s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "schema",
                     "inflight.kernel/1", "file", text_json(kernel_path(kernel)),
                     "function", kernel_name(kernel), "line", kernel_line(kernel),
                     "loops", loops_json(&view), "arrays", kernel_arrays_json(&view),
                     "accesses", accesses_json(&view), "dependences",
                     strings_json(view.dependence, view.dependence_nr), "assumptions",
                     strings_json(view.assumption, view.assumption_nr), "transformations",
                     plans_json(kernel, &view));
}

/* ---- for people ---- */

static void show_loops(const struct kernel_view *view, struct buf *out)
{
    buf_add(out, "\nloops\n");
    for (size_t i = 0; i < view->loop_nr; i++) {
        const struct kernel_loop *loop = &view->loop[i];
        buf_add_repeat(out, ' ', 2 + 2 * (size_t)loop->depth);
        buf_addf(out, "%s", loop->name);
        if (loop->lower_text && loop->upper_text)
            buf_addf(out, " from %s to below %s", loop->lower_text, loop->upper_text);
        if (loop->trips >= 0) {
            buf_add(out, ", ");
            buf_add_number(out, loop->trips);
            buf_add(out, " times");
        }
        buf_addf(out, " (line %d)%s\n", loop->line,
                 loop->modelled ? "" : ": not modelled, left as it is");
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

static void show_accesses(const struct kernel_view *view, struct buf *out)
{
    buf_add(out, "\naccesses\n");
    for (size_t i = 0; i < view->access_nr; i++) {
        const struct kernel_access *access = &view->access[i];
        buf_addf(out, "  line %-4d %-5s %-24s %s", access->line,
                 access->write ? "store" : "load", access->text,
                 access_class_word(access->access_class));
        if (access->access_class == ACCESS_STRIDED && access->stride_bytes != 0)
            buf_addf(out, ", %.0f bytes apart", fabs(access->stride_bytes));
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

static void show_plans(const json_t *plans, struct buf *out)
{
    const json_t *plan;
    size_t i;
    buf_add(out, "\ntransformations\n");
    json_array_foreach(plans, i, plan)
    {
        struct buf line = {0};
        const char *reason = json_string_value(json_object_get(plan, "reason"));
        buf_addf(&line, "%s: %s%s%s", json_string_value(json_object_get(plan, "plan")),
                 json_is_true(json_object_get(plan, "legal")) ? "legal" : "not legal",
                 reason ? ", " : "", reason ? reason : "");
        buf_add(out, "  ");
        buf_add_wrapped(out, buf_str(&line), 4, 79);
        buf_add(out, "\n");
        buf_release(&line);
    }
}

static void show_text(struct kernel *kernel, struct buf *out)
{
    struct kernel_view view = kernel_view(kernel);
    json_t *plans = plans_json(kernel, &view);
    buf_addf(out, "%s in %s, line %d\n", kernel_name(kernel), kernel_path(kernel),
             kernel_line(kernel));
    show_loops(&view, out);
    show_arrays(&view, out);
    show_accesses(&view, out);
    show_list("dependences", view.dependence, view.dependence_nr, out);
    show_list("taken for granted", view.assumption, view.assumption_nr, out);
    show_plans(plans, out);
    json_decref(plans);
}

int show_command(const struct settings *settings, struct error *err)
{
    struct workbench bench;
    struct buf text = {0};
    workbench_start(&bench, settings);
    int status = workbench_kernel(&bench, false, err);
    /* Sizes are nice to have here, not needed. */
    if (!status)
        kernel_bind(bench.kernel, NULL);
    if (!status && settings->json) {
        json_t *document = show_json(bench.kernel);
        status = print_json(document, err);
        json_decref(document);
    } else if (!status) {
        show_text(bench.kernel, &text);
        status = print_text(buf_str(&text), err);
    }
    buf_release(&text);
    workbench_release(&bench);
    return status;
}
