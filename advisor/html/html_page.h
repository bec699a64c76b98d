/* The shipped page, style and script (templates/report) with what belongs in between. */
#ifndef ADVISOR_HTML_PAGE_H
#define ADVISOR_HTML_PAGE_H

#include "core/base.h"

struct html_page {
    const char *title;    /* escaped */
    const char *sections; /* HTML */
    const char *data;     /* a document within <script>; NULL = none */
};
int html_page(const struct html_page *page, struct buf *out, struct error *err);
/* Into a file, said on standard error. */
int html_page_write(const struct buf *page, const char *path, struct error *err);

#endif
