/* Text and figures in HTML. Whatever comes from a session goes through html_text(). */
#ifndef ADVISOR_HTML_TEXT_H
#define ADVISOR_HTML_TEXT_H

#include "advisor/plot/plot.h"
#include "advisor/report/report_read.h"

/* Escaped for the content of elements and for quoted attributes. Bytes that HTML does not
 * allow become a blank. */
void html_text(struct buf *out, const char *text);
/* <TAG>text</TAG>; `tag` is ours and may hold attributes: "td class=\"number\"". */
void html_element(struct buf *out, const char *tag, const char *text);
/* The same for a text made by a format; arguments are escaped with the rest. */
void html_elementf(struct buf *out, const char *tag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A document within <script type="application/json">: nothing in it ends the element,
 * and it is plain ASCII. */
void html_script_json(struct buf *out, const json_t *document);

/* html_svg.c: what gnuplot wrote, made fit for a page: no document around it, no names of
 * other places, no scripts, ids with `prefix`, colours as "#0072b2", black as the page's
 * text; marks "@3" get tip 3 as <title>. `label`: the picture in words. False = it is not
 * a picture. */
bool html_svg(const char *svg, const char *prefix, const char *label,
              const struct strvec *tip, struct buf *out);
/* The picture's legend: a list. */
void html_legend(const struct plot_panel *panel, struct buf *out);

/* ---- our own document; nothing of it is trusted to be there ---- */

struct quantity doc_quantity(const json_t *object, const char *key);
/* A quantity of occupancy's "resources" or "queues". */
struct quantity doc_resource(const json_t *resources, const char *resource,
                             const char *key);

#endif
