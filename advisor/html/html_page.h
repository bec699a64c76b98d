/* A document as a page: the shipped frame, style and scripts (templates/report), and in
 * it the document as data, from which the scripts make the page in the browser. Needs no
 * other file and no network. */
#ifndef ADVISOR_HTML_PAGE_H
#define ADVISOR_HTML_PAGE_H

#include "core/files/json.h"

struct buf;
struct error;

/* `title`: plain text. Fails when a shipped part cannot be read. */
int html_page(const json_t *document, const char *title, struct buf *out,
              struct error *err);
/* Into a file, said on standard error. */
int html_page_write(const json_t *document, const char *title, const char *path,
                    struct error *err);

#endif
