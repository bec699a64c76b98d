/*
 * The report for a terminal. Without --evidence it fits about a screen and a half: what
 * limits the loop, what was gained, what to type next, ranked advice, what is left. With
 * it, every figure that this rests on.
 */
#include <math.h>
#include <string.h>

#include "advisor/report/report.h"
#include "advisor/report/report_sheet.h"
#include "core/occupancy/occupancy.h"

void sheet_item(struct sheet *sheet, const char *text, size_t indent)
{
    buf_add(sheet->page.out, "  ");
    buf_add_wrapped(sheet->page.out, text, indent, sheet->page.width);
    buf_add(sheet->page.out, "\n");
}

static void show_confirm(struct sheet *sheet)
{
    const json_t *confirm = json_object_get(sheet->report, "confirm");
    if (!report_has(confirm, "sentence"))
        return;
    page_heading(&sheet->page, "Is that so? A counter-experiment");
    page_paragraph(&sheet->page, "%s", report_word(confirm, "sentence"));
}

/* As documents of earlier versions have it, without a sentence. */
static void add_left_bound(const json_t *left, struct buf *line)
{
    enum resource resource = resource_from_word(report_word(left, "resource"));
    buf_add(line, "With the same work, the counted resources would allow ");
    add_report_bound(line, report_quantity(left, "bound"));
    buf_addf(line, " more; %s would set that limit.",
             resource_phrase(resource == RESOURCE_NR ? RESOURCE_NONE : resource));
}

static void add_stop(const json_t *report, struct buf *line)
{
    size_t variants = json_array_size(json_object_get(report, "variants"));
    double seconds = report_figure(report, "seconds");
    bool told = report_has(report, "stop") &&
                strcmp(report_word(report, "command"), "advise") != 0;
    if (!told)
        return;
    buf_addf(line, "The search ended because %s, after ", report_word(report, "stop"));
    if (!isnan(seconds))
        buf_addf(line, "%.0f s and ", seconds);
    buf_addf(line, "%zu variant%s. ", variants, variants == 1 ? "" : "s");
}

static void show_left(struct sheet *sheet)
{
    const json_t *left = json_object_get(sheet->report, "left");
    struct buf line = {0};
    page_heading(&sheet->page, "What is left to gain");
    add_stop(sheet->report, &line);
    if (report_has(left, "sentence"))
        buf_add(&line, report_word(left, "sentence"));
    else if (report_quantity(left, "bound"))
        add_left_bound(left, &line);
    else
        buf_add(&line, "The evidence gives no bound on what is left.");
    page_paragraph(&sheet->page, "%s", buf_str(&line));
    buf_release(&line);
}

void report_text(const json_t *report, bool colour, bool evidence, int columns,
                 const char *database, struct buf *out)
{
    struct sheet sheet = {report, page_on(out, colour, columns), evidence, database};
    sheet_head(&sheet);
    sheet_limit(&sheet);
    show_confirm(&sheet);
    sheet_gained(&sheet);
    sheet_in_app(&sheet);
    sheet_advice(&sheet);
    sheet_audit(&sheet);
    show_left(&sheet);
    sheet_effort(&sheet);
    if (evidence)
        sheet_evidence(&sheet);
    sheet_next(&sheet);
}
