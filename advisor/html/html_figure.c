/* The page: pieces of its figures. */
#include "advisor/html/html_figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "variants/plan/plan.h"

void figure_release(struct figure *figure)
{
    plot_release(&figure->plot);
    buf_release(&figure->why_not);
    buf_release(&figure->how);
    buf_release(&figure->label);
}

void figure_how(struct figure *figure, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    buf_addf_va(&figure->how, format, args);
    va_end(args);
}

char *figure_tip_of(const struct html *page, size_t i)
{
    const struct html_variant *variant = &page->variant[i];
    char *name = html_name(variant);
    struct buf out = {0};
    buf_addf(&out, "try %zu: %s; ", i, name);
    if (variant->gain.known) {
        buf_add_ratio(&out, variant->gain);
        buf_add(&out, " as fast as written");
    } else {
        buf_add(&out, run_outcome_word(variant->measurement.outcome));
    }
    free(name);
    return buf_detach(&out);
}

enum group { GROUP_TIMED, GROUP_COUNTED, GROUP_WRITTEN, GROUP_WINNER, GROUP_NR };

static enum group group_of(const struct html *page, size_t i, bool counted)
{
    return i == 0            ? GROUP_WRITTEN
           : i == page->best ? GROUP_WINNER
           : counted         ? GROUP_COUNTED
                             : GROUP_TIMED;
}

void figure_variants(const struct html *page, struct plot_panel *panel,
                     struct figure_place *place, enum plot_interval interval,
                     const char *timed, const char *counted)
{
    const struct {
        const char *colour, *text;
        enum plot_mark mark;
        double size;
    } look[] = {
        [GROUP_TIMED] = {COLOUR_OTHER, timed, PLOT_RING, 0.6},
        [GROUP_COUNTED] = {COLOUR_OTHER, counted, PLOT_DOT, 0.8},
        [GROUP_WRITTEN] = {COLOUR_WRITTEN, "the kernel as written", PLOT_DIAMOND, 1.4},
        [GROUP_WINNER] = {COLOUR_WINNER, "the winner", PLOT_DOT, 1.2},
    };
    for (int group = 0; group < GROUP_NR; group++) {
        struct plot_series *series = NULL;
        for (size_t i = 0; i < page->variant_nr; i++) {
            if (!place[i].x.known || !place[i].y.known ||
                (int)group_of(page, i, place[i].counted) != group)
                continue;
            if (!series)
                series = plot_add(panel,
                                  (struct plot_series){.mark = look[group].mark,
                                                       .size = look[group].size,
                                                       .colour = look[group].colour,
                                                       .interval_colour = COLOUR_OTHER,
                                                       .interval = group == GROUP_TIMED
                                                                       ? PLOT_NO_INTERVAL
                                                                       : interval},
                                  "%s", look[group].text);
            if (!place[i].counted) { /* not its own bytes: the interval says nothing */
                place[i].x = quantity_exact(place[i].x.value, PROVENANCE_DERIVED);
                place[i].y = quantity_exact(place[i].y.value, PROVENANCE_DERIVED);
            }
            plot_point(series, place[i].x, place[i].y, place[i].tip);
        }
    }
    for (size_t i = 0; i < page->variant_nr; i++)
        free(place[i].tip);
}

/* ---- bytes and bandwidth ---- */

/* Steps of a that are in b, too. */
static size_t common_steps(const struct plan *a, const char *b)
{
    struct plan other;
    size_t nr = 0;
    if (plan_read(b, &other, NULL))
        return 0;
    for (size_t i = 0; i < a->step_nr; i++)
        nr += plan_has_step(&other, a->step[i]);
    return nr;
}

static bool is_counted(const struct html_variant *variant)
{
    return html_ran(variant) && variant->gbs.known && variant->gbs.value >= 0;
}

static struct quantity bytes_of(const struct html_variant *variant)
{
    return quantity_scale(quantity_multiply(variant->gbs, variant->measurement.time_s),
                          1e9);
}

/* variant_nr = nothing was counted. */
static size_t nearest_counted(const struct html *page, const char *plan)
{
    size_t nearest = page->variant_nr, max = 0;
    struct plan steps;
    if (plan_read(plan, &steps, NULL))
        steps = (struct plan){0};
    for (size_t i = 0; i < page->variant_nr; i++) {
        size_t nr = common_steps(&steps, page->variant[i].measurement.plan);
        if (!is_counted(&page->variant[i]) || (nearest < page->variant_nr && nr <= max))
            continue;
        nearest = i;
        max = nr;
    }
    return nearest;
}

struct quantity figure_bytes(const struct html *page, size_t i, bool *counted)
{
    const struct html_variant *variant = &page->variant[i];
    *counted = is_counted(variant);
    if (*counted)
        return bytes_of(variant);
    size_t other = nearest_counted(page, variant->measurement.plan);
    if (other == page->variant_nr)
        return quantity_unknown();
    struct quantity bytes = bytes_of(&page->variant[other]);
    double data = page->copies * report_figure(json_object_get(page->report, "kernel"),
                                               "footprint_bytes");
    if (data > 0)
        bytes.low = fmin(bytes.low, data);
    return bytes;
}

struct quantity figure_gbs(const struct html *page, size_t i, bool *counted)
{
    struct quantity bytes = figure_bytes(page, i, counted);
    if (*counted)
        return page->variant[i].gbs;
    if (!html_ran(&page->variant[i]))
        return quantity_unknown();
    return quantity_scale(quantity_divide(bytes, page->variant[i].measurement.time_s),
                          1e-9);
}
