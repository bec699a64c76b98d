#include "advisor/html/html_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_part(const char *name, struct buf *out, struct error *err)
{
    char *relative = path_join("templates/report", name), *path = NULL;
    int status = shipped_path(relative, &path, err);
    if (!status)
        status = file_read(path, out, err);
    free(relative);
    free(path);
    return status;
}

/* What stands in place of "{{name}}". */
static int add_part(const struct html_page *page, const char *name, size_t length,
                    struct buf *out, struct error *err)
{
    if (!strncmp(name, "title", length))
        buf_add(out, page->title);
    else if (!strncmp(name, "style", length))
        return read_part("page.css", out, err);
    else if (!strncmp(name, "sections", length))
        buf_add(out, page->sections);
    else if (!strncmp(name, "data", length))
        buf_add(out, page->data ? page->data : "{}");
    else if (!strncmp(name, "script", length))
        return read_part("page.js", out, err);
    else
        return fail(err, STATUS_INPUT,
                    "templates/report/page.html: nothing is called {{%.*s}}", (int)length,
                    name);
    return 0;
}

int html_page(const struct html_page *page, struct buf *out, struct error *err)
{
    struct buf frame = {0};
    if (read_part("page.html", &frame, err))
        return -1;
    const char *at = buf_str(&frame), *mark;
    int status = 0;
    while (!status && (mark = strstr(at, "{{"))) {
        size_t length = strcspn(mark + 2, "}");
        buf_add_n(out, at, (size_t)(mark - at));
        status = add_part(page, mark + 2, length, out, err);
        at = mark + 2 + length + 2 * (mark[2 + length] == '}');
    }
    buf_add(out, at);
    buf_release(&frame);
    return status;
}

int html_page_write(const struct buf *page, const char *path, struct error *err)
{
    if (file_write(path, buf_str(page), page->length, err))
        return -1;
    fprintf(stderr, "page written to '%s'; open it in a browser\n", path);
    return 0;
}
