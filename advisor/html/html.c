/* The report as a page. */
#include <stdlib.h>
#include <string.h>

#include "advisor/html/html_page.h"
#include "advisor/report/report.h"
#include "advisor/report/report_read.h"

static int check_kind(const json_t *report, struct error *err)
{
    const char *schema = report_word(report, "schema");
    if (!strcmp(schema, "inflight.report/1") &&
        json_is_object(json_object_get(report, "kernel")))
        return 0;
    return fail(err, STATUS_USAGE,
                "--html shows what tune and advise found; this session is '%s'%s", schema,
                !strcmp(schema, "inflight.series/1")
                    ? ", which 'inflight report --json | inflight-plot -' draws"
                    : "");
}

int report_html_write(const json_t *report, const char *path, struct error *err)
{
    if (check_kind(report, err))
        return -1;
    const json_t *kernel = json_object_get(report, "kernel");
    char *title = xasprintf("%s \xc2\xb7 inflight", report_has(kernel, "function")
                                                        ? report_word(kernel, "function")
                                                        : "a loop");
    int status = html_page_write(report, title, path, err);
    free(title);
    return status;
}
