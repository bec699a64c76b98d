/* The page: its figures, drawn in one run of gnuplot. */
#include <stdlib.h>
#include <string.h>

#include "advisor/html/html_figure.h"

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

static void add_figure(struct html *page, struct figure *figure,
                       const struct buf *picture, const struct strvec *tip, bool drawn)
{
    buf_addf(page->out, "<figure id=\"figure-%s\">\n", figure->id);
    html_element(page->out, "h3", figure->title);
    if (!figure->plot.panel_nr) {
        html_element(page->out, "p class=\"note\"", buf_str(&figure->why_not));
        buf_add(page->out, "</figure>\n");
        return;
    }
    buf_add(page->out, "<div class=\"picture\">");
    if (!drawn ||
        !html_svg(buf_str(picture), figure->id, buf_str(&figure->label), tip, page->out))
        html_elementf(page->out, "p class=\"note\"", "Not drawn. It would show: %s",
                      buf_str(&figure->label));
    buf_add(page->out, "</div>\n<figcaption>\n");
    buf_addf(page->out, "<p>%s</p>\n", buf_str(&figure->how));
    html_legend(&figure->plot.panel[0], page->out);
    buf_add(page->out, "</figcaption></figure>\n");
}

void html_add_plots(struct html *page, char **why_none)
{
    struct figure figure[FIGURES] = {{0}};
    const struct plot *plot[FIGURES];
    struct buf picture[FIGURES] = {{0}};
    struct strvec tip[FIGURES] = {{0}};
    struct error err = {0};
    for (size_t i = 0; i < FIGURES; i++) {
        figure[i].id = kinds[i].id;
        figure[i].title = kinds[i].title;
        figure[i].plot = (struct plot){
            .kind = PLOT_PAGE, .name = kinds[i].id, .height = kinds[i].height};
        kinds[i].fill(page, &figure[i]);
        plot[i] = &figure[i].plot;
    }
    bool drawn = plot_pages(plot, FIGURES, "--html", picture, tip, &err) == 0;
    *why_none = drawn ? NULL : xstrdup(err.text);
    html_open(page, "plots", "Pictures");
    if (!drawn)
        html_elementf(page->out, "p class=\"note\"",
                      "The pictures are missing: %s. 'inflight report "
                      "--html' makes the page again.",
                      err.text);
    for (size_t i = 0; i < FIGURES; i++) {
        add_figure(page, &figure[i], &picture[i], &tip[i], drawn);
        figure_release(&figure[i]);
        buf_release(&picture[i]);
        strvec_release(&tip[i]);
    }
    html_close(page);
}
