/* A time line as a picture: panels over one axis of time. */
#include <math.h>

#include "core/base/error.h"
#include "observe/report/timeline_show.h"

/* Steps: each value from where its bin begins, the last one up to the end. */
static void add_values(const struct timeline *timeline,
                       const struct timeline_event *event, struct plot *plot)
{
    plot_series(
        plot,
        (struct plot_look){.line = PLOT_STEPS, .width = 1.3, .colour = COLOUR_MEMORY},
        NULL);
    for (size_t k = 0; k < timeline->bin_nr; k++)
        plot_at(plot, timeline->bin[k].from_s, event->value[k]);
    if (timeline->bin_nr)
        plot_at(plot, timeline->bin[timeline->bin_nr - 1].to_s,
                event->value[timeline->bin_nr - 1]);
}

int timeline_plot(const struct timeline *timeline, struct plot *plot, struct error *err)
{
    plot->title = xstrdup(timeline->program ? timeline->program : "");
    plot->height = 108;
    for (size_t i = 0; i < timeline->event_nr; i++) {
        const struct timeline_event *event = &timeline->event[i];
        const char *unit = timeline_unit(event);
        if (timeline_is_silent(event, timeline->bin_nr))
            continue;
        char *title = xasprintf("%s%s%s", event->label, *unit ? ", " : "", unit);
        plot_panel(plot, title,
                   &(struct plot_axis){.label = "time since the start, s",
                                       .high = timeline_seconds(timeline)},
                   &(struct plot_axis){.label = ""});
        add_values(timeline, event, plot);
        free(title);
    }
    return plot->panel_nr
               ? 0
               : fail(err, STATUS_FAILED, "--plot: nothing was read that could be drawn");
}
