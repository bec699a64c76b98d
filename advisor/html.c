/* The report as a page: the shipped page, style and script with the sections in between.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/html_parts.h"
#include "advisor/report.h"

/* ---- the shipped parts ---- */

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

static void add_title(struct html *page)
{
    const json_t *kernel = json_object_get(page->report, "kernel");
    html_text(page->out, report_has(kernel, "function") ? report_word(kernel, "function")
                                                        : "a loop");
    buf_add(page->out, " \xc2\xb7 inflight");
}

static void add_sections(struct html *page, char **why_none)
{
    html_add_head(page);
    buf_add(page->out,
            "<nav aria-label=\"Sections\"><a href=\"#limits\">Limit</a><a "
            "href=\"#gains\">Gain</a><a href=\"#advice\">Advice</a><a "
            "href=\"#plots\">Pictures</a><a href=\"#variants\">Variants</a><a "
            "href=\"#pruned\">Not tried</a><a href=\"#left\">What is left</a><a "
            "href=\"#time\">Time</a><a href=\"#about\">Machine</a></nav>\n<main>\n");
    html_add_limits(page);
    html_add_gains(page);
    html_add_advice(page);
    html_add_plots(page, why_none);
    html_add_variants(page);
    html_add_pruned(page);
    html_add_left(page);
    html_add_time(page);
    html_add_about(page);
    buf_add(page->out, "</main>\n");
}

/* What stands in place of "{{name}}". */
static int add_part(struct html *page, const char *name, size_t length, char **why_none,
                    struct error *err)
{
    if (!strncmp(name, "title", length))
        add_title(page);
    else if (!strncmp(name, "style", length))
        return read_part("page.css", page->out, err);
    else if (!strncmp(name, "sections", length))
        add_sections(page, why_none);
    else if (!strncmp(name, "data", length))
        html_add_data(page);
    else if (!strncmp(name, "script", length))
        return read_part("page.js", page->out, err);
    else
        return fail(err, STATUS_INPUT,
                    "templates/report/page.html: nothing is called {{%.*s}}", (int)length,
                    name);
    return 0;
}

int report_html(const json_t *report, struct buf *out, char **why_none, struct error *err)
{
    struct html page;
    struct buf frame = {0};
    *why_none = NULL;
    if (read_part("page.html", &frame, err))
        return -1;
    html_read(&page, report, out);
    const char *at = buf_str(&frame), *mark;
    int status = 0;
    while (!status && (mark = strstr(at, "{{"))) {
        size_t length = strcspn(mark + 2, "}");
        buf_add_n(out, at, (size_t)(mark - at));
        status = add_part(&page, mark + 2, length, why_none, err);
        at = mark + 2 + length + 2 * (mark[2 + length] == '}');
    }
    buf_add(out, at);
    html_release(&page);
    buf_release(&frame);
    return status;
}

/* ---- files ---- */

static int check_kind(const json_t *report, struct error *err)
{
    const char *schema = report_word(report, "schema");
    if (!strcmp(schema, "inflight.report/1") &&
        json_is_object(json_object_get(report, "kernel")))
        return 0;
    return fail(err, STATUS_USAGE,
                "--html shows what tune and advise found; this session is '%s'%s", schema,
                !strcmp(schema, "inflight.series/1") ? ", which 'measure --plot' draws"
                                                     : "");
}

int report_html_write(const json_t *report, const char *path, struct error *err)
{
    struct buf out = {0};
    char *why_none = NULL;
    int status = check_kind(report, err);
    if (!status)
        status = report_html(report, &out, &why_none, err);
    if (!status && why_none)
        fprintf(stderr, "the page has no pictures: %s\n", why_none);
    if (!status)
        status = file_write(path, buf_str(&out), out.length, err);
    if (!status)
        fprintf(stderr, "page written to '%s'; open it in a browser\n", path);
    buf_release(&out);
    free(why_none);
    return status;
}
