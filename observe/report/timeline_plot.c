/* A time line as a gnuplot script: panels over one axis of time, phases behind them. */
#include <math.h>
#include <stdlib.h>

#include "advisor/plot/gnuplot_text.h"
#include "observe/report/timeline_show.h"

/* Pale, of the same lightness; neighbours differ. */
static const char *const shades[] = {"#E3EEF7", "#FBE9DD", "#DFF1EA",
                                     "#F6E6F0", "#FBF3DA", "#E4F3FB"};

struct drawing {
    const struct timeline *timeline;
    const struct timeline_phases *phases;
    enum plot_kind kind;
    struct buf *out;
};

static void add_number(struct buf *out, double number)
{
    if (isfinite(number))
        buf_addf(out, " %.7g", number);
    else
        buf_add(out, " NaN");
}

/* Steps: each value from where its bin begins, the last one up to the end. */
static void add_data(const struct drawing *drawing)
{
    const struct timeline *timeline = drawing->timeline;
    buf_add(drawing->out, "$t << EOD\n");
    for (size_t k = 0; k <= timeline->bin_nr; k++) {
        size_t from = k < timeline->bin_nr ? k : k - 1;
        buf_addf(drawing->out, "%.7g",
                 k < timeline->bin_nr ? timeline->bin[k].from_s
                                      : timeline->bin[k - 1].to_s);
        for (size_t i = 0; i < timeline->event_nr; i++)
            add_number(drawing->out, timeline->event[i].value[from]);
        buf_add(drawing->out, "\n");
    }
    buf_add(drawing->out, "EOD\n");
}

/* Points. */
static size_t height_of(size_t panels)
{
    return 64 + 124 * panels;
}

static void add_terminal(const struct drawing *drawing, size_t panels)
{
    size_t height = height_of(panels);
    switch (drawing->kind) {
    case PLOT_TERMINAL:
        buf_add(drawing->out, "set terminal dumb size 79,24\n");
        break;
    case PLOT_SVG:
        buf_addf(drawing->out,
                 "set terminal svg size 900,%zu dynamic background '#ffffff' font "
                 "'sans,10'\n",
                 height);
        break;
    case PLOT_PNG:
        buf_addf(drawing->out, "set terminal pngcairo size 1125,%zu font 'sans,11'\n",
                 height * 5 / 4);
        break;
    }
    buf_add(drawing->out, "set output 'picture'\nset encoding utf8\n");
}

static void add_shades(const struct drawing *drawing)
{
    const struct timeline_phases *phases = drawing->phases;
    for (size_t i = 0; i < phases->nr && phases->nr > 1; i++)
        buf_addf(drawing->out,
                 "set object %zu rectangle from first %.7g, graph 0 to first %.7g, graph "
                 "1 behind fillcolor rgb '%s' fillstyle solid noborder\n",
                 i + 1, phases->phase[i].from_s, phases->phase[i].to_s,
                 shades[phases->phase[i].kind % ARRAY_SIZE(shades)]);
}

/* In the first panel: what the phases are called, where there is room. */
static void add_names(const struct drawing *drawing)
{
    const struct timeline_phases *phases = drawing->phases;
    double seconds = timeline_seconds(drawing->timeline);
    char name[8];
    for (size_t i = 0; i < phases->nr && phases->nr > 1; i++) {
        const struct timeline_phase *phase = &phases->phase[i];
        if (phase->to_s - phase->from_s > 0.015 * seconds)
            buf_addf(drawing->out, "set label %zu '%s' at first %.7g, graph 0.9 center\n",
                     i + 1, timeline_phase_name(phase->kind, name),
                     (phase->from_s + phase->to_s) / 2);
    }
}

static void add_panel(const struct drawing *drawing, size_t event, bool last)
{
    const struct timeline_event *about = &drawing->timeline->event[event];
    struct buf *out = drawing->out;
    const char *unit = timeline_unit(about);
    struct buf title = {0};
    buf_addf(&title, "%s%s%s", about->label, *unit ? ", " : "", unit);
    buf_add(out, drawing->kind == PLOT_TERMINAL ? "set title " : "set label 10000 ");
    gnuplot_quote(out, buf_str(&title));
    buf_add(out, drawing->kind == PLOT_TERMINAL
                     ? "\n"
                     : " at graph 0, graph 1.1 left noenhanced\n");
    buf_release(&title);
    if (last)
        buf_add(out, "set format x '%g'\nset xlabel 'time since the start, s'\n");
    buf_addf(out,
             "plot $t using 1:%zu with steps linewidth 1.3 linecolor rgb '#0072B2' "
             "notitle\n",
             event + 2);
    buf_add(out, "unset label\n");
}

static void add_frame(const struct drawing *drawing, size_t panels)
{
    struct buf *out = drawing->out;
    double height = (double)height_of(panels);
    buf_addf(out,
             "set xrange [0:%.7g]\nset yrange [*<0:*]\nset grid\nset ytics nomirror font "
             "',8'\n",
             timeline_seconds(drawing->timeline));
    if (drawing->kind == PLOT_TERMINAL)
        return;
    buf_addf(out,
             "set multiplot layout %zu,1 margins screen 0.09, screen 0.97, screen %.4f, "
             "screen %.4f spacing screen 0, screen %.4f title ",
             panels, 46 / height, 1 - 52 / height, 34 / height);
    gnuplot_quote(out, drawing->timeline->program ? drawing->timeline->program : "");
    buf_add(out, " noenhanced\nset format x ''\n");
}

int timeline_plot_script(const struct timeline *timeline,
                         const struct timeline_phases *phases, enum plot_kind kind,
                         struct buf *script, struct error *err)
{
    struct drawing drawing = {timeline, phases, kind, script};
    size_t *panel = xcalloc(timeline->event_nr + 1, sizeof(*panel)), nr = 0;
    for (size_t i = 0; i < timeline->event_nr; i++)
        if (!timeline_is_silent(&timeline->event[i], timeline->bin_nr) &&
            (kind != PLOT_TERMINAL || nr == 0))
            panel[nr++] = i;
    if (!nr) {
        free(panel);
        return fail(err, STATUS_FAILED, "--plot: nothing was read that could be drawn");
    }
    add_terminal(&drawing, nr);
    add_data(&drawing);
    add_frame(&drawing, nr);
    if (kind != PLOT_TERMINAL) {
        add_shades(&drawing);
        add_names(&drawing);
    }
    for (size_t i = 0; i < nr; i++)
        add_panel(&drawing, panel[i], i + 1 == nr);
    buf_add(script, kind == PLOT_TERMINAL ? "" : "unset multiplot\n");
    free(panel);
    return 0;
}
