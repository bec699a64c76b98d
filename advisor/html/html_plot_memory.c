/* The page: latency of memory over bandwidth, with every variant on it, and where the
 * queues would be full. */
#include <math.h>
#include <stdlib.h>

#include "advisor/html/html_figure.h"

static double read_share_of(const struct html *page)
{
    const json_t *baseline = json_object_get(page->report, "baseline");
    struct quantity share =
        doc_quantity(json_object_get(baseline, "analysis"), "read_share");
    return share.known ? share.value : 1;
}

/* Returns how many cannot be placed for want of a curve that goes as far. */
static size_t find_places(const struct html *page, double read_share,
                          struct figure_place *place)
{
    size_t beyond = 0;
    for (size_t i = 0; i < page->variant_nr; i++) {
        struct figure_place *at = &place[i];
        *at = (struct figure_place){.x = quantity_unknown(), .y = quantity_unknown()};
        if (!html_ran(&page->variant[i]))
            continue;
        at->x = figure_gbs(page, i, &at->counted);
        if (at->counted)
            at->y = page->variant[i].latency_ns;
        else if (at->x.known)
            at->y = machine_latency_ns(&page->machine, at->x.value, read_share);
        beyond += at->x.known && !at->y.known;
        char *tip = figure_tip_of(page, i);
        at->tip = xasprintf("%s; %s%.3g GB/s at %.3g ns", tip,
                            at->counted ? "" : "about ", at->x.value, at->y.value);
        free(tip);
    }
    return beyond;
}

static void add_words(struct figure *figure, size_t beyond, double end)
{
    figure_how(
        figure,
        "<b>How to read it.</b> Each mark is a variant: the further right, the more it "
        "draws from memory; memory answers later the busier it is, so marks lie along "
        "the curve. Where a dashed line is met, that queue is full: a variant cannot "
        "pass it without fewer misses, or with misses that wait in another queue. A "
        "mark well below the line has room: more misses could be under way at a "
        "time.");
    if (beyond)
        figure_how(
            figure,
            " %zu variant%s not drawn: with the bytes taken over, memory would have to "
            "give more than was ever seen of it, so %s fewer.",
            beyond, beyond == 1 ? " is" : "s are",
            beyond == 1 ? "it moves" : "they move");
    buf_addf(&figure->label,
             "Latency of memory in nanoseconds over bandwidth in GB/s, from 0 to %.3g "
             "GB/s, with "
             "the variants as marks and the L1 and L2 queue limits as falling lines.",
             end);
}

void figure_memory(const struct html *page, struct figure *figure)
{
    double read_share = read_share_of(page);
    if (!page->has_machine) {
        buf_add(&figure->why_not, "This session was made by a version of inflight "
                                  "that did not keep the machine's "
                                  "profile, so its curve cannot be drawn.");
        return;
    }
    const struct plot_memory of = {.machine = &page->machine,
                                   .curve =
                                       machine_curve_near(&page->machine, read_share),
                                   .cores = page->copies};
    if (!of.curve || !of.curve->point_nr) {
        buf_add(&figure->why_not,
                "The machine's profile holds no curve of latency under load; 'inflight "
                "machine' measures one.");
        return;
    }
    struct figure_place *place = xcalloc(page->variant_nr + 1, sizeof(*place));
    size_t beyond = find_places(page, read_share, place);
    struct plot_panel *panel = plot_add_panel(&figure->plot);
    panel->x.label = xstrdup("bandwidth through memory, loaded cores together (GB/s)");
    panel->y.label = xstrdup("latency of memory (ns)");
    figure_variants(page, panel, place, PLOT_BARS,
                    "variants of which only the time is known: drawn as if they moved "
                    "the bytes of the counted variant with most steps in common",
                    "variants whose traffic was counted");
    plot_memory(&figure->plot, &of, 1);
    add_words(figure, beyond, panel->x.high);
    free(place);
}
