/* Text and figures in HTML. Whatever comes from a session goes through html_text(). */
#ifndef ADVISOR_HTML_TEXT_H
#define ADVISOR_HTML_TEXT_H

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

/* ---- figures; all of them plain text, to be escaped by the caller where it is put ----
 */

/* "1.84x", "unknown". */
void add_gain_text(struct buf *out, struct quantity gain);
/* "1.80 to 1.88"; "" when it is exact or unknown; open ends in words. */
void add_range_text(struct buf *out, struct quantity quantity, double scale);
/* "12.3 ms", "unknown". */
void add_time_text(struct buf *out, struct quantity seconds);
/* "12.3 GB/s (12.1 to 12.5)", "unknown". */
void add_figure_text(struct buf *out, struct quantity quantity, double scale,
                     const char *unit);

/* ---- our own document; nothing of it is trusted to be there ---- */

struct quantity doc_quantity(const json_t *object, const char *key);
/* A quantity of occupancy's "resources" or "queues". */
struct quantity doc_resource(const json_t *resources, const char *resource,
                             const char *key);

#endif
