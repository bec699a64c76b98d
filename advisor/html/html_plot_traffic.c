/* The page: lines moved per array, one panel for each edge between caches, as written
 * beside the winner. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/html/html_figure.h"

enum { ARRAYS_MAX = 8 }; /* shown by name; what is beyond stands together */

struct bars {
    const struct html *page;
    struct figure *figure;
    const struct traffic *written, *winner; /* NULL = not counted */
    const char *name[ARRAYS_MAX + 1];
    size_t name_nr;
};

static const struct traffic *traffic_of(const struct html *page, size_t i)
{
    const struct measurement *measurement =
        i < page->variant_nr ? &page->variant[i].measurement : NULL;
    return measurement && measurement->has_traffic && measurement->traffic.array_nr
               ? &measurement->traffic
               : NULL;
}

static double known(struct quantity quantity)
{
    return quantity.known && isfinite(quantity.value) ? quantity.value : 0;
}

/* Through memory, lines. */
static double weight_of(const struct traffic *traffic, size_t array)
{
    const struct traffic_part *part = &traffic->array[array];
    int k = traffic->level_nr - 1;
    return k < 0 ? 0
                 : known(part->fills[k]) + known(part->writebacks[k]) +
                       known(part->nontemporal_lines);
}

static void find_names(struct bars *bars)
{
    const struct traffic *traffic = bars->written;
    bool taken[64] = {false};
    size_t nr = traffic->array_nr < 64 ? traffic->array_nr : 64;
    while (bars->name_nr < ARRAYS_MAX) {
        size_t max = nr;
        for (size_t i = 0; i < nr; i++)
            if (!taken[i] &&
                (max == nr || weight_of(traffic, i) > weight_of(traffic, max)))
                max = i;
        if (max == nr)
            break;
        taken[max] = true;
        bars->name[bars->name_nr++] = traffic->array[max].name;
    }
}

/* Megabytes of one call: [0] into the level, [1] out of it. */
static void bytes_of(const struct traffic *traffic, const char *name, int level,
                     double out[2])
{
    double scale = traffic->line_bytes * 1e-6;
    out[0] = out[1] = 0;
    for (size_t i = 0; i < traffic->array_nr; i++) {
        const struct traffic_part *part = &traffic->array[i];
        if (strcmp(part->name, name))
            continue;
        out[0] += scale * known(part->fills[level]);
        out[1] += scale * known(part->writebacks[level]);
        if (level == traffic->level_nr - 1)
            out[1] += scale * known(part->nontemporal_lines);
    }
}

/* Bars read and, upon them, lighter, written back. Returns the highest. */
static double add_side(const struct bars *bars, struct plot_panel *panel,
                       const struct traffic *traffic, int level, double shift,
                       const char *colour, const char *title)
{
    double max = 0;
    for (int part = 0; part < 2; part++) {
        struct plot_series *series = plot_add(panel,
                                              (struct plot_series){
                                                  .interval = PLOT_BOXES,
                                                  .fill = part ? 0.35 : 1,
                                                  .colour = colour,
                                              },
                                              part ? NULL : "%s", title);
        for (size_t i = 0; i < bars->name_nr; i++) {
            double bytes[2], x = (double)i + shift;
            bytes_of(traffic, bars->name[i], level, bytes);
            double low = part ? bytes[0] : 0, high = bytes[0] + (part ? bytes[1] : 0);
            plot_point(series,
                       quantity_between(x, x - 0.19, x + 0.19, 0, PROVENANCE_DERIVED),
                       quantity_between(low, low, high, 0, PROVENANCE_DERIVED), NULL);
            max = fmax(max, high);
        }
    }
    return max;
}

static void add_panel(const struct bars *bars, int level)
{
    struct plot_panel *panel = plot_add_panel(&bars->figure->plot);
    const struct traffic *traffic = bars->written;
    bool memory = level == traffic->level_nr - 1;
    panel->title = memory ? xasprintf("memory to L%d", level + 1)
                          : xasprintf("L%d to L%d", level + 2, level + 1);
    panel->x.low = -0.6;
    panel->x.high = (double)bars->name_nr - 0.4;
    panel->x.slanted = bars->name_nr > 3;
    for (size_t i = 0; i < bars->name_nr; i++)
        plot_add_tic(&panel->x, (double)i, bars->name[i]);
    panel->y.label = memory ? xstrdup("MB a call and copy") : NULL;
    double max =
        add_side(bars, panel, traffic, level, bars->winner ? -0.21 : 0, COLOUR_WRITTEN,
                 "the kernel as written: read, and above it lighter: written back");
    if (bars->winner)
        max = fmax(max, add_side(bars, panel, bars->winner, level, 0.21, COLOUR_WINNER,
                                 "the winner, likewise"));
    panel->y.high = max > 0 ? 1.1 * max : 1;
}

static void add_words(struct bars *bars)
{
    struct figure *figure = bars->figure;
    figure_how(
        figure,
        "<b>How to read it.</b> How many megabytes one call of one copy moves for each "
        "array, at each border between caches; each panel has a scale of its own. An "
        "array that is high at \xe2\x80\x9cmemory\xe2\x80\x9d is where moving less would "
        "help "
        "most; what is high only at the upper borders stays in caches.");
    if (!bars->winner && bars->page->best)
        figure_how(figure, " The winner's traffic was not counted.");
    if (bars->written->array_nr > bars->name_nr)
        figure_how(figure,
                   " The %zu arrays that move most through memory of %zu are shown.",
                   bars->name_nr, bars->written->array_nr);
    buf_add(&figure->label,
            "Megabytes moved for each array at each border between caches");
    for (size_t i = 0; i < bars->name_nr; i++) {
        double bytes[2];
        bytes_of(bars->written, bars->name[i], bars->written->level_nr - 1, bytes);
        buf_addf(&figure->label, "%s %s %.3g MB",
                 i ? "," : "; through memory, as written:", bars->name[i],
                 bytes[0] + bytes[1]);
    }
    buf_add(&figure->label, ".");
}

void figure_traffic(const struct html *page, struct figure *figure)
{
    struct bars bars = {.page = page,
                        .figure = figure,
                        .written = traffic_of(page, 0),
                        .winner = page->best ? traffic_of(page, page->best) : NULL};
    if (!bars.written || bars.written->level_nr < 1) {
        buf_add(&figure->why_not,
                "What each array moves was not counted in this session.");
        return;
    }
    if (bars.winner && bars.winner->level_nr != bars.written->level_nr)
        bars.winner = NULL;
    find_names(&bars);
    figure->plot.beside = true;
    for (int level = bars.written->level_nr; level-- > 0;)
        add_panel(&bars, level);
    add_words(&bars);
}
