/* A time line as a picture: panels over one axis of time, phases behind them. */
#include <math.h>

#include "core/base/error.h"
#include "observe/report/timeline_show.h"

/* Pale, of the same lightness; neighbours differ. */
static const char *const shades[] = {"#E3EEF7", "#FBE9DD", "#DFF1EA",
                                     "#F6E6F0", "#FBF3DA", "#E4F3FB"};

static struct quantity at(double value)
{
    return quantity_exact(value, PROVENANCE_RECORDED);
}

/* In the first panel with what the phases are called, where there is room. */
static void add_phases(const struct timeline *timeline,
                       const struct timeline_phases *phases, bool names,
                       struct plot_panel *panel)
{
    for (size_t i = 0; i < phases->nr && phases->nr > 1; i++) {
        const struct timeline_phase *phase = &phases->phase[i];
        const struct plot_series shade = {
            .line = PLOT_SHADE, .colour = shades[phase->kind % ARRAY_SIZE(shades)]};
        char name[8];
        plot_point(plot_add(panel, shade, NULL),
                   quantity_between(phase->from_s, phase->from_s, phase->to_s, 0,
                                    PROVENANCE_RECORDED),
                   at(0), NULL);
        if (names && phase->to_s - phase->from_s > 0.015 * timeline_seconds(timeline))
            plot_point(plot_add(panel, (struct plot_series){.line = PLOT_TEXT_UP}, NULL),
                       at((phase->from_s + phase->to_s) / 2), at(0.88),
                       timeline_phase_name(phase->kind, name));
    }
}

/* Steps: each value from where its bin begins, the last one up to the end. */
static void add_values(const struct timeline *timeline,
                       const struct timeline_event *event, struct plot_panel *panel)
{
    struct plot_series *series = plot_add(
        panel,
        (struct plot_series){.line = PLOT_STEPS, .width = 1.3, .colour = COLOUR_MEMORY},
        NULL);
    for (size_t k = 0; k < timeline->bin_nr; k++)
        plot_at(series, timeline->bin[k].from_s, event->value[k]);
    if (timeline->bin_nr)
        plot_at(series, timeline->bin[timeline->bin_nr - 1].to_s,
                event->value[timeline->bin_nr - 1]);
}

int timeline_plot(const struct timeline *timeline, const struct timeline_phases *phases,
                  struct plot *plot, struct error *err)
{
    plot->title = xstrdup(timeline->program ? timeline->program : "");
    plot->height = 108;
    for (size_t i = 0; i < timeline->event_nr; i++) {
        const struct timeline_event *event = &timeline->event[i];
        const char *unit = timeline_unit(event);
        if (timeline_is_silent(event, timeline->bin_nr))
            continue;
        struct plot_panel *panel = plot_add_panel(plot);
        panel->title = xasprintf("%s%s%s", event->label, *unit ? ", " : "", unit);
        panel->x.label = xstrdup("time since the start, s");
        panel->x.high = timeline_seconds(timeline);
        if (plot->kind != PLOT_TERMINAL)
            add_phases(timeline, phases, plot->panel_nr == 1, panel);
        add_values(timeline, event, panel);
    }
    return plot->panel_nr
               ? 0
               : fail(err, STATUS_FAILED, "--plot: nothing was read that could be drawn");
}
