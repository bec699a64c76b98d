/* The report as a page: the shipped page, style and script with the sections in between.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/html/html_page.h"
#include "advisor/html/html_parts.h"
#include "advisor/report/report.h"

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

int report_html(const json_t *report, struct buf *out, char **why_none, struct error *err)
{
    struct html page;
    struct buf title = {0}, sections = {0}, data = {0};
    *why_none = NULL;
    html_read(&page, report, &title);
    add_title(&page);
    page.out = &sections;
    add_sections(&page, why_none);
    page.out = &data;
    html_add_data(&page);
    int status = html_page(&(struct html_page){.title = buf_str(&title),
                                               .sections = buf_str(&sections),
                                               .data = buf_str(&data)},
                           out, err);
    html_release(&page);
    buf_release(&title);
    buf_release(&sections);
    buf_release(&data);
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
        status = html_page_write(&out, path, err);
    buf_release(&out);
    free(why_none);
    return status;
}
