/* The gains alone, of the routine and of the program side by side, and why they differ.
 */
#include "observe/in_app/in_app_text.h"

#include <math.h>
#include <string.h>

#include "advisor/report/report_view.h"

static const json_t *in_app_of(const struct view *view)
{
    const json_t *in_app = json_object_get(view->report, "in_app");
    return json_is_object(in_app) ? in_app : NULL;
}

static bool is_measured(const json_t *in_app)
{
    return !report_has(in_app, "sentence");
}

/* As in_app_claim_of has it. */
static bool is_claimed(const json_t *gain)
{
    double value = report_figure(gain, "value");
    return report_is_believed(gain) &&
           !report_is_noise(report_figure(gain, "low"), report_figure(gain, "high")) &&
           fabs(log(value)) >= log(1.01);
}

static void add_short(struct buf *out, const json_t *gain)
{
    if (!report_is_believed(gain)) {
        buf_add(out, "not believed, since the machine was busy");
        return;
    }
    if (is_claimed(gain)) {
        buf_add_ratio_value(out, report_value(gain));
        return;
    }
    buf_add(out, "no change beyond noise (");
    buf_add_ratio_range(out, report_value(gain));
    buf_add(out, ")");
}

void view_in_app_answer(struct view *view)
{
    const json_t *in_app = in_app_of(view), *isolated, *routine;
    struct buf line = {0};
    if (!in_app)
        return;
    if (!is_measured(in_app)) {
        layout_line(&view->layout, "in the application", "%s",
                    report_word(in_app, "sentence"));
        return;
    }
    buf_add(&line, "the whole program: ");
    add_short(&line, report_quantity(in_app, "program_gain"));
    if ((routine = report_quantity(in_app, "routine_gain"))) {
        buf_add(&line, "; the routine in it: ");
        add_short(&line, routine);
    }
    if ((isolated = report_quantity(in_app, "isolated_gain"))) {
        buf_add(&line, "; alone: ");
        add_short(&line, isolated);
    }
    layout_line(&view->layout, "in the application", "%s", buf_str(&line));
    buf_release(&line);
}

/* ---- the section ---- */

static void show_gain(struct layout *layout, const char *label, const json_t *gain,
                      const char *more)
{
    struct buf line = {0};
    if (!gain)
        return;
    add_short(&line, gain);
    if (is_claimed(gain)) {
        buf_add(&line, " as fast (95 % interval ");
        buf_add_ratio_range(&line, report_value(gain));
        buf_add(&line, ")");
    }
    buf_add(&line, more);
    layout_line(layout, label, "%s", buf_str(&line));
    buf_release(&line);
}

static void add_part(struct buf *out, double low, double high)
{
    buf_addf(out, "; the program as written spends %.0f", low);
    if (high - low >= 1)
        buf_addf(out, " to %.0f", high);
    buf_add(out, " % of its time in it");
}

static void show_routine(struct layout *layout, const json_t *in_app)
{
    const json_t *routine = report_quantity(in_app, "routine_gain"),
                 *share = report_quantity(in_app, "routine_share");
    struct buf more = {0};
    if (share)
        add_part(&more, 100 * report_figure(share, "low"),
                 100 * report_figure(share, "high"));
    if (routine)
        show_gain(layout, "the routine", routine, buf_str(&more));
    else
        layout_line(layout, "the routine", "not known: %s",
                    report_has(in_app, "no_routine") ? report_word(in_app, "no_routine")
                                                     : "it was not sampled");
    buf_release(&more);
}

static void show_program(struct layout *layout, const json_t *in_app)
{
    const json_t *expected = report_quantity(in_app, "expected_gain");
    struct buf more = {0};
    if (expected) {
        buf_add(&more, "; from the routine's share and gain ");
        buf_add_ratio_range(&more, report_value(expected));
        buf_add(&more, " are expected");
    }
    show_gain(layout, "the whole program", report_quantity(in_app, "program_gain"),
              buf_str(&more));
    buf_release(&more);
}

static void show_times(struct layout *layout, const json_t *in_app)
{
    const json_t *before = report_quantity(in_app, "program_s"),
                 *after = report_quantity(in_app, "tuned_program_s");
    if (before && after)
        layout_line(layout, "a run", "%.4g s as written, %.4g s tuned; %.0f pairs",
                    report_figure(before, "value"), report_figure(after, "value"),
                    report_figure(in_app, "pairs"));
}

static void show_command(struct layout *layout, const json_t *in_app, bool evidence)
{
    if (report_has(in_app, "build"))
        layout_line(layout, "command", "%s && %s", report_word(in_app, "build"),
                    report_word(in_app, "run"));
    if (evidence && report_has(in_app, "project"))
        layout_line(layout, "copied from", "%s", report_word(in_app, "project"));
}

static void show_why(struct layout *layout, const json_t *in_app)
{
    const json_t *cause;
    size_t i;
    if (!report_has(in_app, "why"))
        return;
    layout_paragraph(layout, "%s", report_word(in_app, "why"));
    json_array_foreach(json_object_get(in_app, "causes"), i, cause)
        layout_line(layout, report_word(cause, "cause"), "%s",
                    report_word(cause, "sentence"));
}

void in_app_text(const json_t *in_app, bool evidence, struct layout *layout)
{
    layout_heading(layout, "In the application");
    show_command(layout, in_app, evidence);
    if (!is_measured(in_app)) {
        layout_paragraph(layout, "Nothing is claimed: %s.",
                         report_word(in_app, "sentence"));
        return;
    }
    show_gain(layout, "the kernel alone", report_quantity(in_app, "isolated_gain"), "");
    show_routine(layout, in_app);
    show_program(layout, in_app);
    show_times(layout, in_app);
    if (report_has(in_app, "output"))
        layout_line(layout, "output", "%s", report_word(in_app, "output"));
    show_why(layout, in_app);
}

void view_in_app(struct view *view)
{
    if (in_app_of(view))
        in_app_text(in_app_of(view), view->evidence, &view->layout);
}
