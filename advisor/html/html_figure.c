/* The page: pieces of its figures. */
#include "advisor/html/html_figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/plot/gnuplot_text.h"
#include "variants/plan/plan.h"

void figure_release(struct figure *figure)
{
    buf_release(&figure->head);
    buf_release(&figure->items);
    buf_release(&figure->why_not);
    buf_release(&figure->how);
    buf_release(&figure->legend);
    buf_release(&figure->label);
    strvec_release(&figure->tip);
}

void figure_how(struct figure *figure, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    buf_addf_va(&figure->how, format, args);
    va_end(args);
}

void figure_legend(struct figure *figure, const char *mark, const char *colour,
                   const char *format, ...)
{
    struct buf text = {0};
    va_list args;
    va_start(args, format);
    buf_addf_va(&text, format, args);
    va_end(args);
    buf_addf(&figure->legend, "<li><i class=\"mark %s c-%s\" aria-hidden=\"true\"></i>",
             mark, colour + 1);
    html_text(&figure->legend, buf_str(&text));
    buf_add(&figure->legend, "</li>\n");
    buf_release(&text);
}

void figure_set(struct figure *figure, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    buf_add(&figure->head, "set ");
    buf_addf_va(&figure->head, format, args);
    buf_add(&figure->head, "\n");
    va_end(args);
}

void figure_item(struct figure *figure, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    gnuplot_begin_item(&figure->items);
    buf_addf_va(&figure->items, format, args);
    buf_add(&figure->items, " notitle");
    va_end(args);
}

/* 1, 2 and 5 of each decade where there are few decades, else powers of ten. */
void figure_log_axis(struct figure *figure, const char *axis, const char *unit,
                     double low, double high)
{
    static const double factor[] = {1, 2, 5};
    size_t each = high < 300 * low ? 3 : 1;
    bool first = true;
    figure_set(figure, "logscale %s", axis);
    figure_set(figure, "%srange [%.6g:%.6g]", axis, low, high);
    buf_addf(&figure->head, "set %stics (", axis);
    for (int decade = (int)floor(log10(low)); decade <= (int)ceil(log10(high)); decade++)
        for (size_t i = 0; i < each; i++) {
            double value = factor[i] * pow(10, decade);
            if (value < low || value > high)
                continue;
            buf_addf(&figure->head, "%s'%g%s' %.6g", first ? "" : ", ", value, unit,
                     value);
            first = false;
        }
    buf_add(&figure->head, ")\n");
}

/* ---- data ---- */

void figure_take_in(double range[2], double value)
{
    if (!isfinite(value) || !(value > 0))
        return;
    range[0] = fmin(range[0], value);
    range[1] = fmax(range[1], value);
}

void figure_room(double x[2], double y[2])
{
    x[0] /= 2.5;
    x[1] *= 2.5;
    y[0] /= 2.5;
    y[1] *= 1.8;
}

size_t figure_block(struct figure *figure)
{
    buf_addf(&figure->head, "$b%zu << EOD\n", figure->block);
    return figure->block++;
}

static void add_numbers(struct figure *figure, size_t nr, const double *value)
{
    for (size_t i = 0; i < nr; i++)
        if (isfinite(value[i]))
            buf_addf(&figure->head, "%s%.6g", i ? " " : "", value[i]);
        else
            buf_addf(&figure->head, "%sNaN", i ? " " : "");
}

void figure_row(struct figure *figure, size_t nr, const double *value)
{
    add_numbers(figure, nr, value);
    buf_add(&figure->head, "\n");
}

void figure_tipped(struct figure *figure, size_t nr, const double *value, const char *tip)
{
    add_numbers(figure, nr, value);
    buf_addf(&figure->head, " @%zu\n", figure->tip.nr);
    strvec_push(&figure->tip, tip);
}

void figure_end(struct figure *figure)
{
    buf_add(&figure->head, "EOD\n");
}

void figure_marks(struct figure *figure, size_t block, int type, double size,
                  const char *colour)
{
    figure_item(figure,
                "$b%zu using 1:2:3 with labels hypertext point pointtype %d pointsize %g "
                "linecolor rgb '%s'",
                block, type, size, colour);
}

void figure_line(struct figure *figure, double x0, double y0, double x1, double y1,
                 const char *style)
{
    size_t block = figure_block(figure);
    figure_row(figure, 2, (const double[]){x0, y0});
    figure_row(figure, 2, (const double[]){x1, y1});
    figure_end(figure);
    figure_item(figure, "$b%zu using 1:2 with lines %s", block, style);
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
    size_t nearest = page->variant_nr, most = 0;
    struct plan steps;
    if (plan_read(plan, &steps, NULL))
        steps = (struct plan){0};
    for (size_t i = 0; i < page->variant_nr; i++) {
        size_t nr = common_steps(&steps, page->variant[i].measurement.plan);
        if (!is_counted(&page->variant[i]) || (nearest < page->variant_nr && nr <= most))
            continue;
        nearest = i;
        most = nr;
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
