/* The page: lines moved per array, one panel for each edge between caches, as written
 * beside the winner. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/html/html_figure.h"
#include "advisor/plot/gnuplot_text.h"

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
        size_t most = nr;
        for (size_t i = 0; i < nr; i++)
            if (!taken[i] &&
                (most == nr || weight_of(traffic, i) > weight_of(traffic, most)))
                most = i;
        if (most == nr)
            break;
        taken[most] = true;
        bars->name[bars->name_nr++] = traffic->array[most].name;
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

/* A bar and, upon it, a lighter one. */
static double add_bar(struct bars *bars, const struct traffic *traffic, size_t array,
                      int level, double x)
{
    double bytes[2];
    bytes_of(traffic, bars->name[array], level, bytes);
    buf_addf(&bars->figure->head, "%.6g %.6g 0.19 %.6g %.6g\n", x, bytes[0], bytes[0],
             bytes[0] + bytes[1]);
    return bytes[0] + bytes[1];
}

static double add_side(struct bars *bars, const struct traffic *traffic, int level,
                       double shift, size_t *block)
{
    double most = 0;
    *block = figure_block(bars->figure);
    for (size_t i = 0; i < bars->name_nr; i++)
        most = fmax(most, add_bar(bars, traffic, i, level, (double)i + shift));
    figure_end(bars->figure);
    return most;
}

static void add_panel_items(struct figure *figure, size_t block, const char *colour)
{
    figure_item(figure,
                "$b%zu using 1:($2/2):3:($2/2) with boxxyerror fillstyle solid 1 "
                "noborder linecolor "
                "rgb '%s'",
                block, colour);
    figure_item(figure,
                "$b%zu using 1:(($4+$5)/2):3:(($5-$4)/2) with boxxyerror fillstyle solid "
                "0.35 border "
                "linewidth 1 linecolor rgb '%s'",
                block, colour);
}

static void add_names(struct bars *bars)
{
    buf_add(&bars->figure->head, "set xtics (");
    for (size_t i = 0; i < bars->name_nr; i++) {
        buf_add(&bars->figure->head, i ? ", " : "");
        gnuplot_quote(&bars->figure->head, bars->name[i]);
        buf_addf(&bars->figure->head, " %zu", i);
    }
    buf_addf(&bars->figure->head, ")%s scale 0\n",
             bars->name_nr > 3 ? " rotate by 40 right" : "");
}

static void title_of(const struct traffic *traffic, int level, char *title, size_t room)
{
    if (level == traffic->level_nr - 1)
        snprintf(title, room, "memory to L%d", level + 1);
    else
        snprintf(title, room, "L%d to L%d", level + 2, level + 1);
}

/* Every panel is a plot command of its own within one picture. */
static void add_panel(struct bars *bars, int level)
{
    struct figure *figure = bars->figure;
    char title[64];
    size_t block[2] = {0};
    double most =
        add_side(bars, bars->written, level, bars->winner ? -0.21 : 0, &block[0]);
    if (bars->winner)
        most = fmax(most, add_side(bars, bars->winner, level, 0.21, &block[1]));
    title_of(bars->written, level, title, sizeof(title));
    figure_set(figure, "title '%s' offset 0,-0.6", title);
    figure_set(figure, "xrange [-0.6:%.6g]", (double)bars->name_nr - 0.4);
    figure_set(figure, "yrange [0:%.6g]", most > 0 ? 1.1 * most : 1);
    add_panel_items(figure, block[0], COLOUR_WRITTEN);
    if (bars->winner)
        add_panel_items(figure, block[1], COLOUR_WINNER);
    buf_addf(&figure->head, "%s\n", buf_str(&figure->items));
    buf_reset(&figure->items);
    figure_set(figure, "ylabel");
}

static void add_words(struct bars *bars)
{
    struct figure *figure = bars->figure;
    figure_legend(figure, "box", COLOUR_WRITTEN,
                  "the kernel as written: read, and above it lighter: "
                  "written back");
    if (bars->winner)
        figure_legend(figure, "box", COLOUR_WINNER, "the winner, likewise");
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
    figure_set(figure, "ylabel 'MB a call and copy'");
    add_names(&bars);
    figure_set(figure, "multiplot layout 1,%d", bars.written->level_nr);
    for (int level = bars.written->level_nr; level-- > 0;)
        add_panel(&bars, level);
    buf_add(&figure->items, "unset multiplot");
    add_words(&bars);
}
