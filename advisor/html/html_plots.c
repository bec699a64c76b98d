/* The page: its figures, drawn in one run of gnuplot. */
#include <stdlib.h>
#include <string.h>

#include "advisor/html/html_figure.h"
#include "advisor/plot/plot.h"

enum { FIGURES = 5 };

static const struct {
    const char *id, *title;
    void (*fill)(const struct html *page, struct figure *figure);
    int height; /* of a picture 640 wide */
} kinds[FIGURES] = {
    {"memory", "Bandwidth and latency", figure_memory, 430},
    {"roof", "Roofline with the ceilings of the miss queues", figure_roof, 430},
    {"course", "The course of the search", figure_course, 400},
    {"predicted", "Promised and found", figure_predicted, 430},
    {"traffic", "Traffic of each array", figure_traffic, 330},
};

/* White is no background: the page's own shows. */
static void add_script(const struct figure *figure, size_t i, struct buf *script)
{
    buf_addf(
        script,
        "reset\nset encoding utf8\nset terminal svg size 640,%d noenhanced font "
        "'sans,14' name '%s'\nset output 'picture%zu'\n"
        "set tics nomirror\nset border 3 linewidth 1 linecolor rgb '" COLOUR_FAINT "'\n"
        "set grid linetype 1 linewidth 0.5 linecolor rgb '" COLOUR_FAINT "'\n"
        "set samples 400\nset bars 0.5\nset xtics textcolor rgb '#000000'\n"
        "set ytics textcolor rgb '#000000'\n%s%s\nunset output\n",
        kinds[i].height, figure->id, i, buf_str(&figure->head), buf_str(&figure->items));
}

static int draw(struct figure *figure, struct buf *picture, struct error *err)
{
    struct buf script = {0};
    size_t nr = 0;
    for (size_t i = 0; i < FIGURES; i++)
        if (figure[i].items.length) {
            add_script(&figure[i], i, &script);
            nr++;
        }
    int status = nr ? plot_pictures(&script, "--html", picture, FIGURES, err) : 0;
    buf_release(&script);
    return status;
}

static void add_figure(struct html *page, struct figure *figure,
                       const struct buf *picture, bool drawn)
{
    bool can = figure->items.length > 0;
    buf_addf(page->out, "<figure id=\"figure-%s\">\n", figure->id);
    html_element(page->out, "h3", figure->title);
    if (!can) {
        html_element(page->out, "p class=\"note\"", buf_str(&figure->why_not));
        buf_add(page->out, "</figure>\n");
        return;
    }
    buf_add(page->out, "<div class=\"picture\">");
    if (!drawn || !html_svg(buf_str(picture), figure->id, buf_str(&figure->label),
                            &figure->tip, page->out))
        html_elementf(page->out, "p class=\"note\"", "Not drawn. It would show: %s",
                      buf_str(&figure->label));
    buf_add(page->out, "</div>\n<figcaption>\n");
    buf_addf(page->out, "<p>%s</p>\n<ul class=\"legend\">\n%s</ul>\n",
             buf_str(&figure->how), buf_str(&figure->legend));
    buf_add(page->out, "</figcaption></figure>\n");
}

void html_add_plots(struct html *page, char **why_none)
{
    struct figure figure[FIGURES] = {{0}};
    struct buf picture[FIGURES] = {{0}};
    struct error err = {0};
    for (size_t i = 0; i < FIGURES; i++) {
        figure[i].id = kinds[i].id;
        figure[i].title = kinds[i].title;
        kinds[i].fill(page, &figure[i]);
    }
    bool drawn = draw(figure, picture, &err) == 0;
    *why_none = drawn ? NULL : xstrdup(err.text);
    html_open(page, "plots", "Pictures");
    if (!drawn)
        html_elementf(page->out, "p class=\"note\"",
                      "The pictures are missing: %s. 'inflight report "
                      "--html' makes the page again.",
                      err.text);
    for (size_t i = 0; i < FIGURES; i++) {
        add_figure(page, &figure[i], &picture[i], drawn);
        figure_release(&figure[i]);
        buf_release(&picture[i]);
    }
    html_close(page);
}
